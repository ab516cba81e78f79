import { expect } from 'chai';
import type {
  ContentType,
  ElementDefinition,
  Field,
  ProjectModel,
  ValueElement,
} from '../../core/model/model.ts';
import { type CompiledDocument, compileDocument } from '../../core/read-model/compile-document.ts';
import { LoadedFacts } from '../../core/read-model/load-facts.ts';
import { renameFields } from '../../core/read-model/rename-fields.ts';
import { mainThreadCpu } from '../support/measure/cpu.mjs';
import { leastOf } from '../support/measure/least-of.ts';
import { LONGEST_ALLOWED_MS } from '../support/measure/longest-allowed.ts';

const COMPONENTS = 1000;
const ELEMENTS = 50;
const many = <T>(count: number, one: (at: number) => T) => Array.from({ length: count }, (_, at) => one(at));
const idOf = (at: number) => `11111111-1111-4111-8111-${String(at).padStart(12, '0')}`;

describe('new names of elements in a compiled document', () => {
  it(`are those that a compilation writes, and take turns of at most ${LONGEST_ALLOWED_MS} ms for ${COMPONENTS} components`, async () => {
    const former = await compiled(modelWith('Former'));
    const model = modelWith('"New" \\ name');
    const { body, components, layout } = await compiled(model);
    const document = {
      type: 1,
      body: former.body,
      components: former.components,
      layout: JSON.stringify(former.layout),
    };
    expect(former.layout.components).to.have.length(COMPONENTS);
    expect(await renameFields(model, document)).to.deep.equal({ body, components, layout });
    const { milliseconds } = await leastOf(LONGEST_ALLOWED_MS, () =>
      longestTurn(() => renameFields(model, document)),
    );
    expect(milliseconds).to.be.at.most(LONGEST_ALLOWED_MS);
  });
});

/** In CPU time. */
async function longestTurn(work: () => unknown): Promise<{ milliseconds: number }> {
  let milliseconds = 0;
  let last = mainThreadCpu();
  const note = () => {
    const now = mainThreadCpu();
    milliseconds = Math.max(milliseconds, now - last);
    last = now;
    timer = setImmediate(note);
  };
  let timer = setImmediate(note);
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  clearImmediate(timer);
  return { milliseconds };
}

function modelWith(name: string): ProjectModel {
  const texts = many(ELEMENTS, (at) => fieldOf(`text${at}`, `${name} ${at}`, 'text'));
  const types = [
    { number: 1, id: 'page', codename: 'page', fields: [fieldOf('body', name, 'rich_text'), ...texts] },
    { number: 2, id: 'block', codename: 'block', fields: texts },
  ] as const;
  return {
    sitemapNodeById: new Map(),
    typeById: new Map(types.map((type) => [type.id, type])),
    typeByCodename: new Map(types.map((type) => [type.codename, type])),
    typeByNumber: new Map(types.map((type) => [type.number, type])),
  } as unknown as ProjectModel;
}

function fieldOf(id: string, name: string, type: ElementDefinition['type']): Field {
  const codename = name.replaceAll(/\W/g, '_').toLowerCase() + id;
  return { field: 1, codename, element: { id, codename, name, type } as ValueElement, snippet: null };
}

function compiled(model: ProjectModel): Promise<CompiledDocument> {
  const type = model.typeById.get('page') as ContentType;
  const ids = many(COMPONENTS, idOf);
  const texts = Object.fromEntries(many(ELEMENTS, (at) => [`text${at}`, `Text ${at}`]));
  const body = {
    html: ids.map((id) => `<object data-type="component" data-id="${id}"></object>`).join(''),
    components: ids.map((id) => ({ id, type: 'block', elements: texts })),
  };
  const source = {
    model,
    item: { id: 'item', name: 'Item', codename: 'item', type, sitemapLocations: [] },
    language: { codename: 'en' },
    channel: 'published',
    lastModified: '2026-01-01T00:00:00.000Z',
    elements: { ...texts, body },
    mediaType: 'service',
  };
  return compileDocument(source as unknown as Parameters<typeof compileDocument>[0], new LoadedFacts());
}
