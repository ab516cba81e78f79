/** What people may do, by real requests: each call with each shipped role, and limits to types and languages. */
import { expect } from 'chai';
import { en } from '../../plugins/console/app/messages/en.ts';
import { type Rights, screensOf } from '../../plugins/console/app/screens/screens-of.ts';
import type { ConsoleBrowser } from '../support/console/console-browser.ts';
import { signInPerson } from '../support/console/console-people.ts';
import { OFFERED_SCREENS } from '../support/console/offered-screens.ts';
import { type Needed, ROLES_WITH, ROUTE_PERMISSIONS } from '../support/console/route-permissions.ts';
import { hasAllTests } from '../support/long-form.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

/** Ids of nothing. */
const NOTHING = '00000000-0000-4000-8000-000000000000';
/** Calls that would end the rest of the test where they are permitted. */
const LAST = ['DELETE projects/:project', 'POST token/regenerate'];

const OF_ITEMS = ['edit', 'archive', 'restore', 'move'];
const OF_VARIANTS = [
  'edit',
  'publish',
  'schedule',
  'cancel_schedule',
  'unpublish',
  'archive',
  'restore',
  'change_step',
];

/** What each role may do with an item as a whole, and in a language; by hand. */
const ALLOWED: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['project_manager', OF_ITEMS, OF_VARIANTS],
  ['editor', OF_ITEMS, OF_VARIANTS],
  ['contributor', ['edit', 'move'], ['edit', 'change_step']],
  ['translator', ['edit', 'move'], ['edit', 'change_step']],
  ['developer', [], []],
  ['reader', [], []],
  ['operator', OF_ITEMS, OF_VARIANTS],
];

interface Role {
  readonly id: string;
  readonly codename: string;
}

describe('people and their roles', () => {
  let service: RunningService;
  let operator: ConsoleBrowser;
  let roles: readonly Role[];
  let project: string;
  before(async () => {
    const limits = 'HEADWATER_PLUGINS__SESSION__LIMITS__SECOND';
    service = await startService({ sample: true, environment: { [limits]: '1000' } });
    project = service.sample!.projectId;
    ({ browser: operator } = await signInPerson(service, { name: 'Operator', isOperator: true }));
    ({ roles } = (await operator.request<{ roles: readonly Role[] }>('GET', 'admin/roles')).body);
  });
  after(() => service.stop());

  const withRole = async (name: string, ...codenames: readonly string[]) => {
    const given = roles.filter(({ codename }) => codenames.includes(codename)).map(({ id }) => id);
    // Ids may be in capital letters.
    const projects = [{ id: project, roles: given.map((id) => id.toUpperCase()) }];
    return (await signInPerson(service, { name, projects })).browser;
  };

  describe('each call of the management and the admin API', () => {
    const calls = [
      ...Object.entries(ROUTE_PERMISSIONS.admin).map((call) => ['admin', ...call] as const),
      ...Object.entries(ROUTE_PERMISSIONS.management).map((call) => ['manage', ...call] as const),
    ];
    const isPermitted = (role: string, needed: Needed) =>
      role === 'operator' ||
      (needed !== 'operator' && (ROLES_WITH[needed] as readonly string[]).includes(role));

    /** Sends each call, about objects that do not exist. @returns the calls that were refused */
    const refusedCalls = async (browser: ConsoleBrowser, role: string) => {
      const refused: string[] = [];
      const send = async ([surface, call]: (typeof calls)[number]) => {
        const [method = '', path = ''] = call.split(' ');
        const filled = path
          .replace(':project', project)
          .replace(/:slot/, 'no-slot')
          .replace(/:file_name/, 'file.txt')
          .replace(/:\w+|<\w+>/g, NOTHING);
        const full = surface === 'admin' ? `admin/${filled}` : `manage/projects/${project}/${filled}`;
        const { status, body } = await browser.request<{ message?: string }>(
          method,
          full,
          method === 'GET' ? undefined : {},
        );
        if (status !== 403) return;
        expect(body.message, `${role}: ${call}`).to.match(
          /Only operators|no role in this project|do not include '/,
        );
        refused.push(`${surface} ${call}`);
      };
      const isLast = ([, call]: (typeof calls)[number]) => LAST.includes(call);
      await Promise.all(calls.filter((call) => !isLast(call)).map(send));
      for (const call of calls.filter(isLast)) if (!isPermitted(role, call[2] as Needed)) await send(call);
      return refused.sort();
    };

    // The short form: all that a role can have, reading alone, and nothing.
    const roles = ['project_manager', 'contributor', 'developer', 'reader', 'nothing'];
    const more = ['editor', 'translator'];
    for (const role of hasAllTests ? [...roles, ...more] : roles)
      it(`is permitted to a person with the role '${role}' as the table says`, async () => {
        const browser = await withRole(`Route ${role.replace('_', ' ')}`, role);
        const expected = calls
          .filter(([, , needed]) => !isPermitted(role, needed as Needed))
          .map(([surface, call]) => `${surface} ${call}`);
        expect(await refusedCalls(browser, role)).to.deep.equal(expected.sort());
      });

    for (const [role, items, variants] of ALLOWED)
      it(`is listed with each object as far as the role '${role}' permits it`, async () => {
        const browser = role === 'operator' ? operator : await withRole(`Objects ${role}`, role);
        type Objects = readonly { readonly id: string; readonly allowed: readonly string[] }[];
        interface Listed {
          readonly allowed: { readonly items: readonly string[]; readonly variants: readonly string[] };
          readonly items: readonly (Objects[number] & { readonly variants: Objects })[];
        }
        const at = `admin/projects/${project}`;
        const { body } = await browser.request<Listed>('GET', `${at}/content?limit=2&beside=de`);
        expect(body.allowed).to.deep.equal({ items, variants });
        for (const item of body.items) {
          expect(item.allowed).to.deep.equal(items);
          for (const { allowed } of item.variants) expect(allowed).to.deep.equal(variants);
        }
        type Item = Objects[number] & { readonly languages: Objects };
        const one = await browser.request<Item>('GET', `${at}/items/${body.items[0]!.id}`);
        expect([one.body.allowed, one.body.languages[0]!.allowed]).to.deep.equal([items, variants]);
      });

    for (const [role, offered] of Object.entries(OFFERED_SCREENS))
      it(`is behind links that a person with the role '${role}' is offered`, async () => {
        const browser = role === 'operator' ? operator : await withRole(`Screens ${role}`, role);
        const { body } = await browser.request<Rights>('GET', 'session');
        const names = screensOf(body, project, en).map(({ text }) => text);
        const all = Object.values(OFFERED_SCREENS).flat();
        expect(names.filter((name) => all.includes(name))).to.have.members(offered);
        expect(names).to.include('Content');
      });

    it('is permitted to an operator', async () => {
      expect(await refusedCalls(operator, 'operator')).to.deep.equal([]);
    });

    it('is not reached in version 1', async () => {
      const { status } = await operator.request('GET', `manage/v1/projects/${project}/items`);
      expect(status).to.equal(404);
    });
  });

  describe('limits of a role to types and languages', () => {
    /** Gives a role with limits to a new person. */
    const limited = async (name: string, permissions: readonly string[], limits: object) => {
      const codename = name.toLowerCase().replaceAll(' ', '_');
      const role = { codename, name, permissions, limits };
      const { status, body } = await operator.request<Role & { limits: object }>('POST', 'admin/roles', role);
      expect(status).to.equal(201);
      roles = [...roles, body];
      return withRole(name, codename);
    };
    const manage = (path: string) => `manage/projects/${project}${path}`;
    const trail = '/items/codename/where_the_orrach_begins';
    const variant = (language: string) => manage(`${trail}/variants/codename/${language}`);
    const title = (value: string) => ({ elements: [{ element: { codename: 'title' }, value }] });
    const refusal = (answer: { readonly body: { readonly message?: string } }) => answer.body.message;

    it('give a translator only her language', async () => {
      const browser = await limited('German translator', ['view-content', 'edit-content', 'publish'], {
        'edit-content': { types: null, languages: ['de'] },
        publish: { languages: ['de'] },
      });
      expect((await browser.request('GET', variant('en'))).status).to.equal(200);
      expect((await browser.request('PUT', `${variant('de')}/new-version`)).status).to.equal(204);
      expect(
        (await browser.request('PUT', variant('de'), title('Wo die Orrach entspringt'))).status,
      ).to.equal(200);
      for (const [method, path, body] of [
        ['PUT', `${variant('en')}/new-version`, undefined],
        ['PUT', variant('en'), title('Where')],
        ['PUT', variant('de-AT'), title('Wo')],
        ['PUT', `${variant('en')}/unpublish`, undefined],
        ['DELETE', variant('de'), undefined],
        ['PUT', manage(trail), { name: 'Renamed', sitemap_locations: [] }],
        ['DELETE', manage(trail), undefined],
        [
          'POST',
          `admin/projects/${project}/publish`,
          { variants: ['de', 'en'].map((language) => ({ item: 'where_the_orrach_begins', language })) },
        ],
      ] as const) {
        const answer = await browser.request<{ message: string }>(method, path, body);
        expect(answer.status, `${method} ${path}`).to.equal(403);
        expect(refusal(answer)).to.match(/^Your roles in this project do not include '/);
      }
      const elsewhere = await browser.request<{ message: string }>('PUT', variant('en'), title('Where'));
      expect(refusal(elsewhere)).to.equal(
        "Your roles in this project do not include 'edit-content' for items of the type 'Article' in the language 'English'.",
      );
      const own = { variants: [{ item: 'where_the_orrach_begins', language: 'de' }] };
      for (const query of ['?plan=true', ''])
        expect(
          (await browser.request('POST', `admin/projects/${project}/publish${query}`, own)).status,
        ).to.equal(200);
      type Item = { languages: { language: { codename: string }; allowed: string[] }[]; allowed: string[] };
      const listed = await browser.request<{ items: { id: string }[] }>(
        'GET',
        `admin/projects/${project}/content?text=where_the_orrach_begins`,
      );
      const item = await browser.request<Item>(
        'GET',
        `admin/projects/${project}/items/${listed.body.items[0]!.id}`,
      );
      expect(item.body.allowed, 'with all languages').to.deep.equal([]);
      for (const { language, allowed } of item.body.languages)
        expect(allowed, language.codename).to.deep.equal(
          language.codename === 'de'
            ? ['edit', 'publish', 'schedule', 'cancel_schedule', 'unpublish', 'change_step']
            : [],
        );
      const { body } = await browser.request<{ projects: { limits: object }[] }>('GET', 'session');
      expect(body.projects[0]?.limits).to.deep.equal({
        'edit-content': [{ types: null, languages: ['de'] }],
        publish: [{ types: null, languages: ['de'] }],
      });
    });

    it('keep lists, pages and histories to what a person may view', async () => {
      const view = { 'view-content': { types: ['person'], languages: ['de'] } };
      const browser = await limited('German people', ['view-content'], view);
      type Listed = { type: { codename: string }; languages: { language: { codename: string } }[] };
      const listed = await browser.request<{ items: Listed[] }>('GET', `admin/projects/${project}/items`);
      expect(listed.body.items).to.have.length.above(1);
      for (const { type, languages } of listed.body.items) {
        expect(type.codename).to.equal('person');
        expect(languages.map(({ language }) => language.codename)).to.deep.equal(['de']);
      }
      const all = await browser.request<{ items: unknown[] }>('GET', manage('/items'));
      expect(all.body.items).to.have.length(listed.body.items.length);
      type Variants = { variants: { language: { id: string } }[] };
      const people = await browser.request<Variants>('GET', manage('/types/codename/person/variants'));
      expect(people.body.variants).to.have.length.above(0);
      expect(new Set(people.body.variants.map(({ language }) => language.id)).size).to.equal(1);
      const articles = manage('/types/codename/article/variants');
      expect((await browser.request<{ variants: unknown[] }>('GET', articles)).body.variants).to.deep.equal(
        [],
      );
      for (const path of [
        manage(trail),
        variant('de'),
        manage('/items/codename/marit_olsen/variants/codename/en'),
      ])
        expect((await browser.request('GET', path)).status, path).to.equal(403);
      const variants = manage('/items/codename/marit_olsen/variants');
      expect((await browser.request<unknown[]>('GET', variants)).body).to.have.length(1);
      type Revisions = { revisions: { item: { id: string }; language: { id: string } | null }[] };
      const history = await browser.request<Revisions>('GET', `admin/projects/${project}/revisions`);
      const { body } = await operator.request<Revisions>('GET', `admin/projects/${project}/revisions`);
      const ids = new Set(
        (await browser.request<{ items: { id: string }[] }>('GET', manage('/items'))).body.items.map(
          ({ id }) => id,
        ),
      );
      expect(history.body.revisions).to.have.length.above(0);
      expect(history.body.revisions.every(({ item }) => ids.has(item.id))).to.equal(true);
      expect(body.revisions.some(({ item }) => !ids.has(item.id))).to.equal(true);
      const hidden = body.revisions.find(({ item }) => !ids.has(item.id))!.item.id;
      const usedIn = (id: string) =>
        browser.request<{ message: string }>('GET', `admin/projects/${project}/items/${id}/used-in`);
      const changesOf = (codename: string) =>
        browser.request<{ message: string }>('GET', `admin/projects/${project}/revisions?item=${codename}`);
      expect((await usedIn([...ids][0]!)).status).to.equal(200);
      expect((await changesOf('marit_olsen')).status).to.equal(200);
      for (const [answer, unknown, name] of [
        [await usedIn(hidden), await usedIn(NOTHING), hidden],
        [await changesOf('where_the_orrach_begins'), await changesOf('nothing'), 'where_the_orrach_begins'],
      ] as const) {
        expect(answer.status, name).to.equal(404);
        expect(refusal(answer)?.replace(name, '')).to.equal(
          refusal(unknown)?.replace(/nothing|[0-9-]{36}/, ''),
        );
      }
      const { body: found } = await browser.request<{ items: unknown[] }>(
        'GET',
        `admin/projects/${project}/items?state=published&language=en`,
      );
      expect(found.items, 'a state in a language that the person may not view').to.deep.equal([]);
    });

    it('keep names of items out of refusals to delete what they use', async () => {
      const scope = { 'view-content': { types: ['person'], languages: null } };
      const rights = ['view-content', 'delete-content', 'manage-types'];
      const browser = await limited('Cleaners', rights, scope);
      const { body } = await operator.request<{ assets: { id: string }[] }>('GET', manage('/assets'));
      const refused = async (by: typeof browser, path: string) =>
        refusal(await by.request<{ message: string }>('DELETE', manage(path)));
      const named = / is (still )?used by the item '.+' and maybe others\.$/;
      expect(await refused(browser, '/types/codename/person')).to.match(named);
      expect(await refused(browser, '/types/codename/article')).to.equal('The type is still used by items.');
      expect(await refused(operator, '/types/codename/article')).to.match(named);
      const asset = `/assets/${body.assets[0]!.id}`;
      expect(await refused(operator, asset)).to.match(named);
      expect(await refused(browser, asset)).to.equal('The asset is used by items.');
    });

    describe('with an article that refers to items of other types', () => {
      let reader: ConsoleBrowser;
      before(async () => {
        const scope = { 'view-content': { types: ['article'], languages: null } };
        reader = await limited('Readers of articles', ['view-content'], scope);
        const item = { name: 'Misled', type: { codename: 'article' }, sitemap_locations: [] };
        expect((await operator.request('POST', manage('/items'), item)).status).to.equal(201);
        const referred = ['marit_olsen', 'orrach_spring', 'where_the_orrach_begins'];
        const value = referred.map((codename) => ({ codename }));
        const path = manage('/items/codename/misled/variants/codename/en');
        const elements = [{ element: { codename: 'authors' }, value }];
        expect((await operator.request('PUT', path, { elements })).status).to.equal(201);
      });

      it('keep their names out of columns', async () => {
        interface Page {
          readonly items: readonly {
            readonly variants: readonly {
              readonly elements: { readonly authors: { readonly value: readonly string[] } };
            }[];
          }[];
        }
        const column = async (by: ConsoleBrowser) => {
          const path = `admin/projects/${project}/content?text=misled&elements=authors`;
          return (await by.request<Page>('GET', path)).body.items[0]?.variants[0]?.elements.authors.value;
        };
        const names = ['Marit Olsen', 'Orrach spring', 'Where the Orrach begins'];
        expect(await column(operator)).to.deep.equal(names);
        const [person, place, article] = (await column(reader)) ?? [];
        for (const hidden of [person, place]) expect(hidden).to.match(/^[\da-f-]{36}$/);
        expect(article).to.equal(names[2]);
      });

      it('keep their names out of findings', async () => {
        interface Report {
          readonly variant_issues: readonly {
            readonly item: { readonly codename: string };
            readonly issues: readonly { readonly messages: readonly string[] }[];
          }[];
        }
        const findings = async (by: ConsoleBrowser) => {
          const { body } = await by.request<Report>('POST', manage('/validate'));
          const found = body.variant_issues.find(({ item }) => item.codename === 'misled');
          return found?.issues.flatMap(({ messages }) => messages).join('\n');
        };
        const article = "The item 'Where the Orrach begins' is of the type 'Article', which is not allowed.";
        const place = /The item '(.+)' is of the type 'Place', which is not allowed\./;
        for (const by of [operator, reader]) expect(await findings(by)).to.include(article);
        expect(place.exec((await findings(operator)) ?? '')?.[1]).to.equal('Orrach spring');
        expect(place.exec((await findings(reader)) ?? '')?.[1]).to.match(/^[\da-f-]{36}$/);
      });
    });

    it('keep content from those who may only write it', async () => {
      const scope = { 'view-content': { types: ['person'], languages: ['de'] } };
      const browser = await limited(
        'Blind writers',
        ['view-content', 'edit-content', 'create-content'],
        scope,
      );
      const nothing = { elements: [] };
      const person = (language: string) =>
        manage(`/items/codename/marit_olsen/variants/codename/${language}`);
      expect((await browser.request('PUT', person('de'), nothing)).status).to.equal(200);
      for (const path of [person('en'), variant('de')]) {
        const answer = await browser.request<{ message: string }>('PUT', path, nothing);
        expect(answer.status, path).to.equal(403);
        expect(refusal(answer)).to.match(/^Your roles in this project do not include 'view-content' for /);
      }
    });

    it('keep scheduled drafts from those who may not publish them', async () => {
      const writer = await limited('Writers', ['view-content', 'create-content', 'edit-content'], {});
      const made = await operator.request<{ id: string }>('POST', manage('/items'), {
        name: 'Announced',
        type: { codename: 'quote' },
        sitemap_locations: [],
      });
      const { id } = made.body;
      const draft = manage(`/items/${id}/variants/codename/en`);
      const put = async (browser: ConsoleBrowser, value: string) =>
        (await browser.request('PUT', draft, { elements: [{ element: { codename: 'words' }, value }] }))
          .status;
      expect(await put(writer, 'First')).to.equal(201);
      expect(await put(writer, 'Second')).to.equal(200);
      const admin = `admin/projects/${project}`;
      const languages = async (browser: ConsoleBrowser) => {
        type Item = {
          readonly languages: readonly { language: { id: string }; allowed: readonly string[] }[];
        };
        return (await browser.request<Item>('GET', `${admin}/items/${id}`)).body.languages;
      };
      const [before] = await languages(writer);
      expect(before!.allowed).to.include('edit');
      const scheduled = await operator.request('POST', `${admin}/publish`, {
        variants: [{ item: { id }, language: { codename: 'en' } }],
        scheduled_to: '2099-01-01T00:00:00Z',
      });
      expect(scheduled.status).to.equal(200);
      expect(await put(writer, 'Third')).to.equal(403);
      const [after] = await languages(writer);
      expect(after!.allowed).not.to.include('edit');
      const versions = `${admin}/items/${id}/variants/${after!.language.id}`;
      type History = { readonly history: readonly { version: number | null }[] };
      const { body } = await operator.request<History>('GET', `${versions}/history`);
      const version = body.history.findLast((entry) => entry.version !== null)!.version;
      expect((await writer.request('PUT', `${versions}/draft`, { version })).status).to.equal(403);
      expect(await put(operator, 'Third')).to.equal(200);
    });

    it('add up over the roles of a person', async () => {
      const of = (codename: string, types: readonly string[] | null, languages: readonly string[] | null) =>
        limited(codename, ['view-content', 'create-content'], { 'create-content': { types, languages } });
      await of('Articles', ['article'], null);
      await of('Pages', ['page'], null);
      const browser = await withRole('Two roles', 'articles', 'pages');
      const create = async (type: string) => {
        const item = { name: `A new ${type}`, type: { codename: type }, sitemap_locations: [] };
        return (await browser.request('POST', manage('/items'), item)).status;
      };
      expect([await create('article'), await create('page'), await create('person')]).to.deep.equal([
        201, 201, 403,
      ]);
    });

    it('keep archived items from being replaced by others with their external id', async () => {
      const scope = { 'create-content': { types: ['person'], languages: null } };
      const browser = await limited('Makers of people', ['view-content', 'create-content'], scope);
      const put = (by: typeof browser, externalId: string, type: string) =>
        by.request('PUT', manage(`/items/external-id/${externalId}`), {
          name: externalId,
          type: { codename: type },
          sitemap_locations: [],
        });
      for (const type of ['article', 'person']) {
        expect((await put(operator, `former_${type}`, type)).status).to.equal(201);
        const former = manage(`/items/external-id/former_${type}`);
        expect((await operator.request('DELETE', former)).status).to.equal(204);
      }
      expect((await put(browser, 'former_article', 'person')).status).to.equal(403);
      expect((await put(browser, 'former_person', 'person')).status).to.equal(201);
      expect((await put(operator, 'former_article', 'person')).status).to.equal(201);
    });

    it('concern assets by the languages of their descriptions', async () => {
      const browser = await limited('German images', ['view-content', 'edit-content', 'delete-content'], {
        'edit-content': { languages: ['de'] },
        'delete-content': { languages: ['de'] },
      });
      const { body } = await browser.request<{ assets: { id: string; title: string }[] }>(
        'GET',
        manage('/assets'),
      );
      const { id, title } = body.assets[0]!;
      const asset = manage(`/assets/${id}`);
      const describe = (codename: string) => ({
        title,
        descriptions: [{ language: { codename }, description: 'Anders beschrieben' }],
      });
      expect((await browser.request('PUT', asset, describe('de'))).status).to.equal(200);
      expect((await browser.request('PUT', asset, describe('en'))).status).to.equal(403);
      expect((await browser.request('PUT', asset, { ...describe('de'), title: 'Other' })).status).to.equal(
        403,
      );
      expect((await browser.request('DELETE', asset)).status).to.equal(403);
      const file = await browser.request<{ id: string }>('POST', manage('/files/facts.json'), { a: 1 });
      const former = manage('/assets/external-id/former');
      const reference = { file_reference: { id: file.body.id, type: 'internal' }, title: 'Former' };
      const create = async (language: string) =>
        (await browser.request('POST', manage('/assets'), { ...reference, ...describe(language) })).status;
      expect([await create('en'), await create('de')]).to.deep.equal([403, 201]);
      expect((await operator.request('PUT', former, { ...reference, descriptions: [] })).status).to.equal(
        201,
      );
      expect((await operator.request('DELETE', former)).status).to.equal(204);
      expect((await browser.request('PUT', former, { ...reference, ...describe('de') })).status).to.equal(
        403,
      );
    });

    it('are checked, and go with the permission', async () => {
      const role = { codename: 'wrong', name: 'Wrong', permissions: ['view-content'] };
      for (const limits of [
        { 'edit-content': { languages: ['de'] } },
        { 'manage-types': { languages: ['de'] } },
        { 'view-content': { languages: [] } },
        { 'view-content': { languages: 'de' } },
        { 'view-content': { other: ['de'] } },
      ])
        expect((await operator.request('POST', 'admin/roles', { ...role, limits })).status).to.equal(400);
      const limits = { 'view-content': { types: ['person'], languages: null } };
      const made = await operator.request<Role & { limits: object }>('POST', 'admin/roles', {
        ...role,
        limits,
      });
      expect(made.body.limits).to.deep.equal(limits);
      const changed = await operator.request<{ limits: object }>('PATCH', `admin/roles/${made.body.id}`, {
        permissions: ['publish', 'publish'],
      });
      expect(changed.body).to.deep.include({ limits: {}, permissions: ['publish'] });
    });
  });
});
