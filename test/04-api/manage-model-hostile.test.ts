/** Bodies of any shape to the calls of the model, assets, folders and webhooks: refused or done, never a failure. */

import { expect } from 'chai';
import fc from 'fast-check';
import { isLongForm } from '../support/long-form.ts';
import { type ManageError, type ManageService, startManage } from '../support/projects/manage-service.ts';

/** Of each call. */
const BODIES = isLongForm ? 1000 : 40;

const reference = fc.constantFrom(
  { codename: 'title' },
  { codename: 'sailing' },
  { external_id: 'made' },
  { id: 'x', codename: 'y' },
  {},
  null,
  7,
  [],
);
const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1.5,
    '',
    'x',
    'x'.repeat(300),
    [],
    {},
    [null],
    [[]],
    [7],
    '\0',
    '__proto__',
  ),
  reference,
);
/** Objects with the names that bodies have, and anything behind them. */
const objectOf = (names: readonly string[], values: fc.Arbitrary<unknown>) =>
  fc
    .array(fc.tuple(fc.constantFrom(...names), values), { maxLength: 6 })
    .map((pairs) => Object.fromEntries(pairs));

const KINDS = [
  'text',
  'multiple_choice',
  'url_slug',
  'custom',
  'snippet',
  'taxonomy',
  'asset',
  'guidelines',
  'x',
];
const element = fc
  .tuple(
    fc.constantFrom(...KINDS),
    objectOf(
      [
        'id',
        'name',
        'codename',
        'external_id',
        'options',
        'depends_on',
        'allowed_elements',
        'allowed_content_types',
        'maximum_text_length',
        'asset_count_limit',
        'content_group',
        'taxonomy_group',
        'snippet',
        'guidelines',
        'mode',
        'source_url',
      ],
      fc.oneof(
        junk,
        fc.array(junk, { maxLength: 3 }),
        objectOf(['element', 'value', 'name', 'applies_to', 'condition'], junk),
      ),
    ),
  )
  .map(([type, rest]) => ({ type, ...rest }));
const term: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  term: fc.oneof(
    { depthSize: 'small' },
    junk,
    fc.record({
      name: fc.oneof(fc.constant('Some'), junk),
      terms: fc.oneof(junk, fc.array(tie('term'), { maxLength: 2 })),
    }),
  ),
})).term;
const folder: fc.Arbitrary<unknown> = fc.oneof(
  junk,
  fc.record({
    name: fc.oneof(fc.constant('Some'), junk),
    folders: fc.oneof(junk, fc.array(junk, { maxLength: 2 })),
  }),
);

const PATHS = [
  '/name',
  '/codename',
  '/elements',
  '/elements/codename:title',
  '/elements/codename:title/name',
  '/elements/codename:title/options',
  '/elements/external_id:made',
  '/elements/external_id:made/options',
  '/elements/external_id:made/options/codename:x',
  '/elements/external_id:made/options/codename:x/name',
  '/elements/external_id:made/allowed_content_types',
  '/elements/external_id:made/allowed_content_types/codename:x',
  '/elements/external_id:made/allowed_elements/codename:title',
  '/elements/external_id:made/depends_on',
  '/elements/__proto__',
  '/elements/codename:__proto__/name',
  '/content_groups',
  '/content_groups/codename:x/name',
  '/',
  '',
  'elements',
];
const operation = (values: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 1, arbitrary: junk },
    {
      weight: 9,
      arbitrary: fc.record(
        {
          op: fc.constantFrom('addInto', 'remove', 'replace', 'rename', 'x', 7),
          path: fc.constantFrom<unknown>(...PATHS, null, 7),
          property_name: fc.constantFrom<unknown>(
            'name',
            'codename',
            'terms',
            'is_active',
            'fallback_language',
            7,
          ),
          reference,
          value: fc.oneof(values, junk),
          before: reference,
          after: reference,
        },
        { requiredKeys: ['op'] },
      ),
    },
  );
const operations = (values: fc.Arbitrary<unknown>) => fc.array(operation(values), { maxLength: 5 });

const newElement = element.map((one) => ({ name: 'Made', external_id: 'made', ...one }));

const CALLS: readonly (readonly [
  method: 'post' | 'put' | 'patch',
  path: string,
  body: fc.Arbitrary<unknown>,
])[] = [
  [
    'post',
    '/types',
    objectOf(['name', 'codename', 'content_groups', 'elements'], fc.oneof(junk, fc.array(element))),
  ],
  ['patch', '/types/codename/note', operations(newElement)],
  ['post', '/snippets', objectOf(['name', 'elements'], fc.oneof(junk, fc.array(element)))],
  ['patch', '/snippets/codename/metadata', operations(newElement)],
  ['post', '/taxonomies', objectOf(['name', 'codename', 'terms'], fc.oneof(junk, fc.array(term)))],
  ['patch', '/taxonomies/codename/topics', operations(fc.oneof(term, fc.array(term)))],
  [
    'post',
    '/languages',
    objectOf(['name', 'codename', 'is_active', 'fallback_language', 'external_id'], junk),
  ],
  ['patch', '/languages/codename/fr', operations(junk)],
  ['post', '/folders', objectOf(['folders'], fc.oneof(junk, fc.array(folder)))],
  ['patch', '/folders', operations(folder)],
  [
    'post',
    '/webhooks',
    objectOf(
      ['name', 'url', 'secret', 'triggers'],
      fc.oneof(junk, objectOf(['delivery_api_content_changes', 'workflow_step_changes'], fc.array(junk))),
    ),
  ],
  ['post', '/assets', objectOf(['file_reference', 'title', 'descriptions', 'external_id', 'folder'], junk)],
  ['put', '/assets/external-id/x', objectOf(['file_reference', 'title', 'descriptions', 'folder'], junk)],
];

describe('management: bodies of any shape', () => {
  let service: ManageService;
  before(async () => {
    service = await startManage();
  });
  after(() => service.stop());

  it('searches what operations before have added as the caller sent it', async () => {
    const choice = {
      type: 'multiple_choice',
      name: 'C',
      external_id: 'c',
      mode: 'single',
      options: [null, 'x'],
    };
    const bodies: readonly (readonly [string, readonly unknown[]])[] = [
      [
        '/types/codename/note',
        [
          { op: 'addInto', path: '/elements', value: choice },
          { op: 'remove', path: '/elements/external_id:c/options/codename:y' },
        ],
      ],
      [
        '/types/codename/note',
        [
          { op: 'addInto', path: '/elements', value: choice },
          {
            op: 'addInto',
            path: '/elements/external_id:c/options',
            value: { name: 'Y' },
            after: { id: 'z' },
          },
        ],
      ],
      [
        '/taxonomies/codename/topics',
        [
          { op: 'addInto', value: { name: 'T', codename: 't', terms: [null, 7, { terms: 'x' }] } },
          { op: 'remove', reference: { codename: 'none' } },
        ],
      ],
      [
        '/taxonomies/codename/topics',
        [
          { op: 'replace', property_name: 'terms', value: [null] },
          { op: 'remove', reference: { codename: 'none' } },
        ],
      ],
      [
        '/taxonomies/codename/topics',
        [
          { op: 'addInto', value: { name: 'T', codename: 't', terms: 7 } },
          { op: 'remove', reference: { codename: 'coast' } },
        ],
      ],
    ];
    for (const [path, body] of bodies) {
      const { status, body: answer } = await service.v2.patch<ManageError>(path, body);
      expect([status, answer.error_code], JSON.stringify(body)).to.deep.equal([400, 5]);
    }
  });

  for (const [method, path, bodies] of CALLS) {
    it(`${method.toUpperCase()} ${path} succeeds or reports why not`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.oneof({ weight: 1, arbitrary: junk }, { weight: 12, arbitrary: bodies }),
          async (body) => {
            const { status, body: answer } = await service.v2[method]<ManageError>(
              path,
              JSON.stringify(body),
            );
            expect(status, answer?.message).to.be.oneOf([200, 201, 400, 404]);
            if (status === 400 && answer.error_code === 5)
              expect(answer.validation_errors).to.have.length.above(0);
          },
        ),
        { numRuns: BODIES },
      );
      // Whatever was done, the model can be read and content with it.
      expect((await service.v2.get('/types')).status).to.equal(200);
      expect((await service.delivery.get('/items')).status).to.equal(200);
    });
  }
});
