/** What a supervisor sees of a gateway process that serves. Its id is in the file that the environment names. */
const { appendFileSync } = require('node:fs');

const input = { urls: { http: 'http://127.0.0.1' }, surfaces: {} };
process.send({ call: 'serving', input, number: 1 }, () =>
  appendFileSync(process.env.SERVING_PROCESSES, `${process.pid}\n`),
);
process.on('message', ({ call }) => {
  if (call === 'stop') process.exit(0);
});
