/** Everything that readers get of a project, read by a client that checks all of it. */
import { Parser } from 'htmlparser2';
import type { Core } from '../../../core/contract.ts';
import { type ContentRequest, readFromCore } from '../random/read-content.ts';

const BASES = {
  delivery: 'http://localhost/delivery',
  preview: 'http://localhost/preview',
  assets: 'http://localhost/assets',
} as never;
const CODENAME = /^[a-z_][a-z0-9_]{0,159}$/;
/** Of elements of snippets: both codenames with two underscores between. */
const ELEMENT_CODENAME = /^[a-z_][a-z0-9_]{0,321}$/;
const TAGS = new Set(
  [
    'p',
    'h1',
    'h2',
    'h3',
    'h4',
    'ol',
    'ul',
    'li',
    'table',
    'tbody',
    'tr',
    'td',
    'figure',
    'img',
    'object',
    'a',
  ].concat(['strong', 'em', 'sup', 'sub', 'code', 'br']),
);

interface Listed {
  readonly system: { readonly codename: string; readonly id: string; readonly type: string };
  readonly elements: Readonly<Record<string, { readonly type: string; readonly value: unknown }>>;
}

/** Everything that is wrong with what delivery and preview answer; nothing for content that they can serve. */
export async function wrongWith(core: Pick<Core, 'handle'>, project: string): Promise<string[]> {
  const wrong: string[] = [];
  const ask = async (
    channel: ContentRequest['channel'],
    path: string,
    query = '',
  ): Promise<Record<string, unknown>> => {
    const { status, body } = await readFromCore(core, { channel, path: `/${project}/${path}`, query }, BASES);
    if (status === 200) return body as Record<string, unknown>;
    wrong.push(`${channel} ${path}?${query}: ${status} ${JSON.stringify(body)}`);
    return {};
  };
  const languages = ((await ask('published', 'languages'))['languages'] ?? []) as Listed[];
  for (const channel of ['published', 'latest'] as const) {
    const types = ((await ask(channel, 'types'))['types'] ?? []) as Listed[];
    const groups = ((await ask(channel, 'taxonomies'))['taxonomies'] ?? []) as Listed[];
    for (const { system, elements } of types) {
      if (!CODENAME.test(system.codename)) wrong.push(`type ${system.codename}`);
      for (const codename of Object.keys(elements))
        if (!ELEMENT_CODENAME.test(codename)) wrong.push(`element ${codename}`);
    }
    for (const { system } of groups)
      if (!CODENAME.test(system.codename)) wrong.push(`group ${system.codename}`);
    for (const language of [undefined, ...languages.map(({ system }) => system.codename)]) {
      const query = language === undefined ? 'depth=3' : `depth=3&language=${encodeURIComponent(language)}`;
      const { items = [], modular_content = {} } = (await ask(channel, 'items', query)) as {
        items?: Listed[];
        modular_content?: Record<string, Listed>;
      };
      for (const item of [...items, ...Object.values(modular_content)]) wrong.push(...wrongItem(item));
      const [first] = items;
      if (first) await ask(channel, `items/${first.system.codename}`, query);
    }
    await ask(channel, 'items-feed');
  }
  return [...new Set(wrong)];
}

function wrongItem({ system, elements }: Listed): string[] {
  const wrong: string[] = [];
  if (!CODENAME.test(system.codename)) wrong.push(`item ${system.codename}`);
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(system.id)) wrong.push(`id ${system.id}`);
  for (const [codename, { type, value }] of Object.entries(elements)) {
    const at = `${system.codename}.${codename}`;
    if (type === 'rich_text') wrong.push(...wrongHtml(String(value)).map((what) => `${at}: ${what}`));
    if (type === 'date_time' && value !== null && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(String(value)))
      wrong.push(`${at}: ${value}`);
    if (type === 'number' && value !== null && typeof value !== 'number') wrong.push(`${at}: ${value}`);
  }
  return wrong;
}

function wrongHtml(html: string): string[] {
  const wrong: string[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      if (!TAGS.has(name)) wrong.push(`<${name}>`);
      for (const [attribute, value] of Object.entries(attributes)) {
        if (/^on/i.test(attribute)) wrong.push(`<${name} ${attribute}>`);
        if (/^(href|src)$/.test(attribute) && /^\s*(?!https?:|ftp:|mailto:|[/?#])[a-z0-9+.-]*:/i.test(value))
          wrong.push(`<${name} ${attribute}="${value}">`);
      }
    },
    onprocessinginstruction: (name) => void wrong.push(`<${name}>`),
  });
  parser.end(html);
  return wrong;
}
