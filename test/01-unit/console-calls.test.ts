/** The console has no private API: the calls of its application, compared with the OpenAPI document. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { coreOpenapi } from '../../core/compose/openapi.ts';

const APP = new URL('../../plugins/console/app/', import.meta.url);
/** Start of a path below `/console/api` → start of the documented one. */
const FORWARDED: Readonly<Record<string, string>> = {
  admin: '/admin',
  manage: '/manage/v2',
  preview: '/preview',
  delivery: '/delivery',
};
const SIGN_IN = /^session\/(link|methods|confirm|open-id)$/;
const SIGN_IN_OUT = /^(POST|DELETE) session$/;
const VALUE = /\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g;
const PATH = `/(?:${VALUE.source}|[^'\`$])*`;
const CALL = new RegExp(
  `(['\`])((?:admin|manage|preview|delivery)${PATH}|(?:session|sessions|presence|password)(?:${PATH})?)\\1`,
  'g',
);
/** The rest of a path, behind one that is in `path`. */
const REST = new RegExp(`\`\\$\\{path\\}(/(?:${VALUE.source}|[^\`$])*)\``, 'g');

const METHODS = 'GET|POST|PUT|PATCH|DELETE';
/** A method and the path behind it, which is in the text or, wholly or at its start, in a variable. */
const WITH_METHOD = new RegExp(
  `'(${METHODS})',\\s*(?:(['\`])((?:admin|manage|preview|delivery|session|sessions|presence|password)(?:${PATH})?)\\2|\`(\\$\\{(?:path|items)\\}(?:${PATH})?)(?:\\?[^\`]*)?\`|(path)\\b)`,
  'g',
);
/** What only reads. */
const READ = new RegExp(`(?:\\bget|\\buseTagged)<[^()]*>\\(\\s*(['\`])(${PATH.slice(1)})\\1`, 'g');

/** `admin/projects/*` of `admin/projects/${project}${query(…)}`. */
const pattern = (text: string) =>
  text
    .replace(/\$\{query\(.*$/s, '')
    // Of a key: `keys/<slot>` or `management-keys/<id>`.
    .replace(/\$\{address\}/, '*/*')
    .replace(VALUE, '*')
    .replace(/\?.*$/s, '');

describe('the calls of the console', () => {
  const { paths } = coreOpenapi({ header: 'SVC', mediaType: 'service' }) as {
    readonly paths: Readonly<Record<string, object>>;
  };
  const templates = Object.entries(paths).map(([path, item]) => ({ template: path.split('/'), item }));
  /** @param method any if not given */
  const isDocumented = (call: string, method?: string) => {
    const [surface = '', ...rest] = call.split('/');
    const start = FORWARDED[surface];
    const path = start === undefined ? `/console/api/${call}` : `${start}/${rest.join('/')}`;
    const parts = path.split('/');
    return templates.some(
      ({ template, item }) =>
        (method === undefined || method.toLowerCase() in item) &&
        template.length === parts.length &&
        template.every((part, at) => part === parts[at] || part.startsWith('{') || parts[at]!.includes('*')),
    );
  };

  const files = readdirSync(APP, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !/^(messages|server-words)\//.test(file),
  );

  it('have a method that the OpenAPI document has for their path', () => {
    const missing: string[] = [];
    let count = 0;
    for (const file of files) {
      const source = readFileSync(new URL(file, APP), 'utf8');
      const starts = [...source.matchAll(CALL)].map(([, , text = '']) => pattern(text));
      const rests = [...source.matchAll(REST)].map(([, text = '']) => pattern(text));
      const check = (method: string, calls: readonly string[]) => {
        count += 1;
        if (
          !calls.some(
            (call) =>
              isDocumented(call, method) || SIGN_IN.test(call) || SIGN_IN_OUT.test(`${method} ${call}`),
          )
        )
          missing.push(`${file}: ${method} ${calls.join(' or ')}`);
      };
      for (const [, method = '', , text, rest] of source.matchAll(WITH_METHOD)) {
        if (text !== undefined) check(method, [pattern(text)]);
        else if (rest !== undefined && starts.length > 0)
          check(
            method,
            starts.map((start) => start + pattern(rest.slice(rest.indexOf('}') + 1))),
          );
        else if (rest === undefined && starts.length > 0)
          check(
            method,
            starts.flatMap((start) => [start, ...rests.map((one) => start + one)]),
          );
      }
      for (const [, , text = ''] of source.matchAll(READ))
        if (!text.startsWith('$') && isDocumented(pattern(text))) check('GET', [pattern(text)]);
    }
    expect(missing).to.deep.equal([]);
    expect(count).to.be.greaterThan(100);
  });

  it('are in the OpenAPI document, but for signing in and the event stream', () => {
    const missing: string[] = [];
    let count = 0;
    for (const file of files) {
      const source = readFileSync(new URL(file, APP), 'utf8');
      const calls = [...source.matchAll(CALL)].map(([, , text = '']) => pattern(text));
      const rests = [...source.matchAll(REST)].map(([, text = '']) => pattern(text));
      const withRest = (call: string) => rests.filter((rest) => isDocumented(call + rest));
      count += calls.length;
      for (const call of calls)
        if (!SIGN_IN.test(call) && !isDocumented(call) && withRest(call).length === 0)
          missing.push(`${file}: ${call}`);
      if (calls.length > 0)
        for (const rest of rests)
          if (!calls.some((call) => isDocumented(call + rest))) missing.push(`${file}: …${rest}`);
    }
    expect(missing).to.deep.equal([]);
    expect(count).to.be.greaterThan(100);
  });
});
