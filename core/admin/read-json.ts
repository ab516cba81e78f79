import { ServiceError } from '../errors.ts';

/**
 * A request body as a JSON object; how long it may be is the gateway's matter.
 * @throws invalidBody (5) with what is wrong
 */
export async function readJson(
  body: AsyncIterable<Uint8Array> | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  if (chunks.length === 0) return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch (cause) {
    throw new ServiceError('invalidBody', 'The request body is not valid JSON.', {
      cause,
      validationErrors: [{ message: 'The body must be a JSON object in UTF-8.' }],
    });
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new ServiceError('invalidBody', 'The request body must be a JSON object.', {
      validationErrors: [{ message: 'The body must be a JSON object.' }],
    });
  return parsed as Readonly<Record<string, unknown>>;
}
