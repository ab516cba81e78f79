/**
 * Checks that an answer is one the OpenAPI document allows: operation, status, required headers, media type,
 * body. Built on the document the product serves, so that a shape that drifts from it fails every API test.
 */
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { SurfaceName } from '../../../config/surface-settings.ts';
import { coreOpenapi } from '../../../core/compose/openapi.ts';
import { RESPONSE_OF_STATUS } from '../../../core/http/delivery-errors.ts';
import { gatewayOpenapi } from '../../../plugins/docs/gateway-openapi.ts';
import { mergeDocuments } from '../../../plugins/docs/merge-documents.ts';

export interface Answer {
  readonly method: string;
  /** Absolute URL of the request. */
  readonly url: string;
  readonly status: number;
  readonly headers: Headers | Readonly<Record<string, string | undefined>>;
  /** Body as text, before any parsing; empty for none. */
  readonly body: string;
}

/** `none`: a path that belongs to no surface. */
export type DocumentedSurface = SurfaceName | 'none';

/** Surfaces whose errors have the shape of the delivery API; the rest have that of management. */
const DELIVERY_ERRORS: ReadonlySet<DocumentedSurface> = new Set(['delivery', 'preview', 'assets', 'none']);

interface ResponseObject {
  readonly headers?: Readonly<
    Record<string, { readonly required?: boolean; readonly schema: AnySchemaObject }>
  >;
  readonly content?: Readonly<Record<string, { readonly schema?: AnySchemaObject }>>;
}
type Operation = { readonly responses: Readonly<Record<string, unknown>> };
type PathItem = Readonly<Record<string, unknown>> & { readonly 'x-surface': DocumentedSurface };

const document = withoutMapping(
  mergeDocuments(coreOpenapi({ header: 'SVC', mediaType: 'service' }), gatewayOpenapi()),
) as AnySchemaObject;
const ajv = new Ajv2020({ strict: false, allErrors: true, discriminator: true, validateFormats: true });
addFormats.default(ajv);
ajv.addSchema(document, 'openapi');
const compiled = new Map<string, ValidateFunction>();

/** @throws Error that lists everything the document does not allow. */
export function conforms(answer: Answer, surface: DocumentedSurface): void {
  const findings = [...check(answer, surface)];
  if (findings.length === 0) return;
  const body = answer.body.length > 600 ? `${answer.body.slice(0, 600)}…` : answer.body;
  throw new Error(
    [
      `${answer.method} ${answer.url} → ${answer.status} does not conform to the OpenAPI document:`,
      ...findings.slice(0, 12).map((finding) => `  - ${finding}`),
      ...(findings.length > 12 ? [`  … and ${findings.length - 12} more`] : []),
      `  body: ${body}`,
    ].join('\n'),
  );
}

function* check(answer: Answer, surface: DocumentedSurface): Generator<string> {
  const method = answer.method.toUpperCase();
  if (method === 'OPTIONS' && answer.status === 204) {
    // A preflight belongs to the Fetch standard and is no operation of ours.
    if (answer.body !== '') yield 'a preflight answer has a body';
    return;
  }
  const found = responseFor(answer, method, surface);
  if (typeof found === 'string') {
    yield found;
    return;
  }
  const { response, pointer } = found;
  for (const [name, header] of Object.entries(response.headers ?? {})) {
    const value = headerOf(answer, name);
    const at = `${pointer}/headers/${escapePointer(name)}`;
    if (value === undefined) {
      if (resolve(header as object, at).value['required'] === true) yield `header ${name} is missing`;
    } else {
      const target = resolve(header as object, at);
      yield* problems(`${target.pointer}/schema`, value, `header ${name}`);
    }
  }
  if (method === 'HEAD' || answer.status === 304 || answer.status === 204) {
    if (answer.body !== '') yield `${method} with status ${answer.status} has a body`;
    return;
  }
  yield* bodyProblems(answer, response, pointer);
}

function* bodyProblems(answer: Answer, response: ResponseObject, pointer: string): Generator<string> {
  const type = (headerOf(answer, 'content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  const media = Object.keys(response.content ?? {});
  const match = media.find((name) => name === type) ?? media.find((name) => name === '*/*' && type !== '');
  if (match === undefined) {
    if (media.length > 0) yield `content-type is "${type}", documented: ${media.join(', ')}`;
    return;
  }
  if (match !== 'application/json' || response.content?.[match]?.schema === undefined) return;
  let value: unknown;
  try {
    value = JSON.parse(answer.body);
  } catch (error) {
    yield `the body is not JSON: ${String(error)}`;
    return;
  }
  yield* problems(`${pointer}/content/${escapePointer(match)}/schema`, value, 'body');
  const requestId = headerOf(answer, 'x-request-id');
  if (answer.status >= 400 && isRecord(value) && 'request_id' in value && value['request_id'] !== requestId) {
    yield `request_id of the body is "${String(value['request_id'])}", X-Request-ID is "${requestId}"`;
  }
}

/** The documented response with its place in the document, or what is wrong. */
function responseFor(
  answer: Answer,
  method: string,
  surface: DocumentedSurface,
): { response: ResponseObject; pointer: string } | string {
  const path = pathOf(answer.url, surface);
  const item = findPath(path, surface);
  const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase();
  const operation = item && (item.pathItem[verb] as Operation | undefined);
  if (!item || !operation) {
    return unknownOperation(answer, `${method} ${path}`, surface, item !== undefined);
  }
  const pointer = `#/paths/${escapePointer(item.template)}/${verb}/responses/${answer.status}`;
  const response = operation.responses[String(answer.status)];
  if (response === undefined) {
    return `status ${answer.status} is not documented; there are ${Object.keys(operation.responses).join(', ')}`;
  }
  const target = resolve(response as object, pointer);
  return { response: target.value as ResponseObject, pointer: target.pointer };
}

/** A call that is not in the document must end in a documented error: 405 for a known path, never a success. */
function unknownOperation(answer: Answer, call: string, surface: DocumentedSurface, pathKnown: boolean) {
  const name = RESPONSE_OF_STATUS.get(answer.status);
  if (name === undefined) return `${call} is not documented, and the answer is no documented error`;
  if (pathKnown && answer.status === 404) return `${call} is not documented: the answer should be 405`;
  const pointer = `#/components/responses/${DELIVERY_ERRORS.has(surface) ? name : 'GatewayError'}`;
  return { response: at(pointer) as ResponseObject, pointer };
}

function pathOf(url: string, surface: DocumentedSurface): string {
  const path = new URL(url).pathname.replace(/\/{2,}/g, '/');
  const trimmed = path.length > 1 ? path.replace(/\/$/, '') : path;
  return surface === 'none' || trimmed.startsWith(`/${surface}/`) || trimmed === `/${surface}`
    ? trimmed
    : `/${surface}${trimmed}`;
}

/** Of each surface: fewer parameters first. */
const paths = new Map<DocumentedSurface, { template: string; pathItem: PathItem; pattern: RegExp }[]>();
for (const [template, pathItem] of Object.entries(document['paths'] as Record<string, PathItem>)) {
  const source = template
    .split('/')
    .map((part) => (part.startsWith('{') ? '[^/]+' : part.replace(/[.*+?^$()|[\]\\]/g, '\\$&')))
    .join('/');
  const ofSurface = paths.get(pathItem['x-surface']) ?? [];
  ofSurface.push({ template, pathItem, pattern: new RegExp(`^${source}$`) });
  paths.set(pathItem['x-surface'], ofSurface);
}
for (const ofSurface of paths.values())
  ofSurface.sort((a, b) => a.template.split('{').length - b.template.split('{').length);

function findPath(path: string, surface: DocumentedSurface) {
  return paths.get(surface)?.find(({ pattern }) => pattern.test(path));
}

function* problems(pointer: string, value: unknown, what: string): Generator<string> {
  let validate = compiled.get(pointer);
  if (!validate) {
    validate = ajv.compile({ $ref: `openapi${encodeURI(pointer)}` });
    compiled.set(pointer, validate);
  }
  if (validate(value)) return;
  for (const error of validate.errors ?? []) {
    const extra = 'additionalProperty' in error.params ? ` "${error.params['additionalProperty']}"` : '';
    const enumerated =
      'allowedValues' in error.params ? ` ${JSON.stringify(error.params['allowedValues'])}` : '';
    yield `${what}${error.instancePath}: ${error.message}${extra}${enumerated}`;
  }
}

function resolve(value: object, pointer: string): { value: Record<string, unknown>; pointer: string } {
  const target = (value as { $ref?: string }).$ref;
  return target === undefined
    ? { value: value as Record<string, unknown>, pointer }
    : resolve(at(target) as object, target);
}

function at(pointer: string): unknown {
  let value: unknown = document;
  for (const part of pointer.slice(2).split('/')) {
    value = (value as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return value;
}

function headerOf(answer: Answer, name: string): string | undefined {
  const headers = answer.headers;
  return (headers instanceof Headers ? headers.get(name) : headers[name.toLowerCase()]) ?? undefined;
}

function escapePointer(text: string): string {
  return text.replaceAll('~', '~0').replaceAll('/', '~1');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** ajv supports the discriminator but not its mapping, which is for generators only. */
function withoutMapping(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMapping);
  if (!isRecord(value)) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, withoutMapping(child)]));
  const discriminator = copy['discriminator'];
  return isRecord(discriminator)
    ? { ...copy, discriminator: { propertyName: discriminator['propertyName'] } }
    : copy;
}
