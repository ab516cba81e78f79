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
const VALUE = /\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g;
const PATH = `/(?:${VALUE.source}|[^'\`$])*`;
const CALL = new RegExp(
  `(['\`])((?:admin|manage|preview|delivery)${PATH}|(?:session|sessions|presence|password)(?:${PATH})?)\\1`,
  'g',
);
/** The rest of a path, behind one that is in `path`. */
const REST = new RegExp(`\`\\$\\{path\\}(/(?:${VALUE.source}|[^\`$])*)\``, 'g');

/** `admin/projects/*` of `admin/projects/${project}${query(…)}`. */
const pattern = (text: string) =>
  text
    .replace(/\$\{query\(.*$/s, '')
    .replace(VALUE, '*')
    .replace(/\?.*$/s, '');

describe('the calls of the console', () => {
  const { paths } = coreOpenapi({ header: 'SVC', mediaType: 'service' }) as {
    readonly paths: Readonly<Record<string, object>>;
  };
  const templates = Object.keys(paths).map((path) => path.split('/'));
  const isDocumented = (call: string) => {
    const [surface = '', ...rest] = call.split('/');
    const start = FORWARDED[surface];
    const path = start === undefined ? `/console/api/${call}` : `${start}/${rest.join('/')}`;
    const parts = path.split('/');
    return templates.some(
      (template) =>
        template.length === parts.length &&
        template.every((part, at) => part === parts[at] || part.startsWith('{') || parts[at]!.includes('*')),
    );
  };

  it('are in the OpenAPI document, but for signing in and the event stream', () => {
    const files = readdirSync(APP, { recursive: true, encoding: 'utf8' }).filter(
      (file) => /\.tsx?$/.test(file) && !/^(messages|server-words)\//.test(file),
    );
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
