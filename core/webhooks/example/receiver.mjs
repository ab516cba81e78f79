// A complete receiver of notifications: node receiver.mjs, with the secret in WEBHOOK_SECRET.
// It answers 204 to signed requests and 401 to all others.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env.WEBHOOK_SECRET ?? '';
/** A notification can arrive twice if an answer was lost. Store the ids where they survive a restart. */
const seen = new Set();

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  // The received bytes: a body that was parsed and serialised again has another signature.
  const body = Buffer.concat(chunks);
  if (!isSigned(body, request.headers)) return response.writeHead(401).end();
  const { message, data } = JSON.parse(body.toString());
  if (!seen.has(message.id)) {
    seen.add(message.id);
    console.log(message.type, message.operation, data.items.map(({ codename }) => codename).join(' '));
  }
  // Answer before further work: after 60 seconds without an answer the notification is sent again.
  response.writeHead(204).end();
}).listen(Number(process.env.PORT ?? 9000), '127.0.0.1', function () {
  console.log(`listening on ${this.address().port}`);
});

/** During a rotation two secrets sign, each in its own header. */
function isSigned(body, headers) {
  const expected = createHmac('sha256', secret).update(body).digest();
  return ['x-svc-signature', 'x-svc-signature-alternate'].some((name) => {
    const given = Buffer.from(String(headers[name] ?? ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
