// A receiver of notifications, whole: node receiver.mjs, with the secret in WEBHOOK_SECRET.
// It answers 204 to what is signed and 401 to everything else.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env.WEBHOOK_SECRET ?? '';
/** Ids seen; a notification can come twice where an answer was lost. Keep them where a restart does not lose them. */
const seen = new Set();

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  // The bytes as they came: a body that was parsed and printed again has another signature.
  const body = Buffer.concat(chunks);
  if (!isSigned(body, request.headers)) return response.writeHead(401).end();
  const { message, data } = JSON.parse(body.toString());
  if (!seen.has(message.id)) {
    seen.add(message.id);
    console.log(message.type, message.operation, data.items.map(({ codename }) => codename).join(' '));
  }
  // Answer first, work later: after 60 seconds without an answer it is sent again.
  response.writeHead(204).end();
}).listen(Number(process.env.PORT ?? 9000), '127.0.0.1', function () {
  console.log(`listening on ${this.address().port}`);
});

/** While a secret is replaced two sign; whoever has either finds its own. */
function isSigned(body, headers) {
  const expected = createHmac('sha256', secret).update(body).digest();
  return ['x-svc-signature', 'x-svc-signature-alternate'].some((name) => {
    const given = Buffer.from(String(headers[name] ?? ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
