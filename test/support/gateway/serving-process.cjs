/**
 * What a supervisor sees of a gateway process that serves. Its id is in the file that the environment names. All but the first
 * wait while there is a file beside it whose name ends with `.wait`.
 */
const { appendFileSync, existsSync } = require('node:fs');

const input = { urls: { http: 'http://127.0.0.1' }, surfaces: {} };
const file = process.env.SERVING_PROCESSES;
const timer = setInterval(() => {
  if (existsSync(file) && existsSync(`${file}.wait`)) return;
  clearInterval(timer);
  process.send({ call: 'serving', input, number: 1 }, () => appendFileSync(file, `${process.pid}\n`));
}, 10);
process.on('message', ({ call }) => {
  if (call === 'stop') process.exit(0);
});
