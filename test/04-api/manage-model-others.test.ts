/** Taxonomies, languages, workflow steps and webhook registrations of management version 2. */
import { expect } from 'chai';
import { type ManageError, type ManageService, startManage } from '../support/projects/manage-service.ts';

interface TermJson {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly external_id?: string;
  readonly terms: readonly TermJson[];
}
interface TaxonomyJson extends TermJson {
  readonly last_modified: string;
}
interface LanguageJson {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly is_active: boolean;
  readonly is_default: boolean;
  readonly fallback_language: { readonly id: string };
}

const DEFAULT = '00000000-0000-0000-0000-000000000000';

/** `a(b,c(d))` of codenames. */
function shape(terms: readonly TermJson[]): string {
  return terms
    .map(({ codename, terms: inner }) => (inner.length > 0 ? `${codename}(${shape(inner)})` : codename))
    .join(',');
}

describe('management: taxonomies, languages, workflow, webhooks', () => {
  let service: ManageService;
  before(async () => {
    service = await startManage();
  });
  after(() => service.stop());

  const code = async (answer: Promise<{ status: number; body: ManageError }>) => {
    const { status, body } = await answer;
    return [status, body.error_code];
  };

  describe('taxonomy groups', () => {
    const PEOPLE = {
      name: 'Personas',
      external_id: 'people',
      terms: [
        {
          name: 'Expert',
          external_id: 'expert',
          terms: [
            { name: 'Barista', external_id: 'barista', terms: [] },
            { name: 'Owner', terms: [] },
          ],
        },
        { name: 'Enthusiast', codename: 'fan', terms: [{ name: 'Blogger' }] },
      ],
    };

    it('are made with all their terms, and read back by id, codename and external id', async () => {
      const answer = await service.v2.post<TaxonomyJson>('/taxonomies', PEOPLE);
      expect(answer.status, answer.text).to.equal(201);
      const group = answer.body;
      expect(answer.headers.get('location')).to.equal(`${service.v2.baseUrl}/taxonomies/${group.id}`);
      expect(Object.keys(group)).to.deep.equal([
        'last_modified',
        'name',
        'external_id',
        'terms',
        'id',
        'codename',
      ]);
      expect(shape(group.terms)).to.equal('expert(barista,owner),fan(blogger)');
      expect(group.terms[0]!.id[14]).to.equal('5');
      for (const path of [group.id, 'codename/personas', 'external-id/people']) {
        expect((await service.v2.get(`/taxonomies/${path}`)).body, path).to.deep.equal(group);
      }
    });

    it('change by operations in their order; terms that stay keep their ids', async () => {
      const before = (await service.v2.get<TaxonomyJson>('/taxonomies/codename/personas')).body;
      const [expert, fan] = before.terms as [TermJson, TermJson];
      const answer = await service.v2.patch<TaxonomyJson>('/taxonomies/codename/personas', [
        { op: 'replace', property_name: 'name', value: 'Buyer personas' },
        { op: 'replace', property_name: 'codename', value: 'buyers' },
        {
          op: 'replace',
          reference: { codename: 'fan' },
          property_name: 'terms',
          value: [
            { name: 'Lover', terms: [] },
            { name: 'Weblogger', codename: 'blogger', terms: [{ name: 'Connoisseur', terms: [] }] },
          ],
        },
        { op: 'remove', reference: { codename: 'owner' } },
        {
          op: 'addInto',
          reference: { external_id: 'expert' },
          before: { external_id: 'barista' },
          value: { name: 'Roaster', terms: [] },
        },
        { op: 'addInto', value: { name: 'Newcomer', terms: [] }, before: { codename: 'expert' } },
        { op: 'replace', reference: { external_id: 'barista' }, property_name: 'name', value: 'Barkeeper' },
      ]);
      expect(answer.status, answer.text).to.equal(200);
      const after = answer.body;
      expect(after).to.include({ id: before.id, name: 'Buyer personas', codename: 'buyers' });
      expect(shape(after.terms)).to.equal(
        'newcomer,expert(roaster,barkeeper),fan(lover,blogger(connoisseur))',
      );
      expect(after.terms[1]!.id).to.equal(expert.id);
      expect(after.terms[1]!.terms[1]!.id).to.equal(expert.terms[0]!.id);
      expect(after.terms[2]!.terms[1], 'the codename identifies the term').to.include({
        id: fan.terms[0]!.id,
        name: 'Weblogger',
      });
    });

    it('keep the ids of replaced terms whose ids are given in capital letters', async () => {
      const terms = [{ name: 'A', terms: [] }];
      const { body: group } = await service.v2.post<TaxonomyJson>('/taxonomies', { name: 'Capitals', terms });
      const { id } = group.terms[0]!;
      const answer = await service.v2.patch<TaxonomyJson>(`/taxonomies/${group.id}`, [
        { op: 'replace', property_name: 'terms', value: [{ id: id.toUpperCase(), name: 'B', terms: [] }] },
      ]);
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body.terms[0]).to.include({ id, name: 'B' });
      expect((await service.v2.delete(`/taxonomies/${group.id}`)).status).to.equal(204);
    });

    it('add copied terms as new ones, on all levels', async () => {
      const terms = [{ name: 'A', terms: [{ name: 'B' }] }];
      const { body: group } = await service.v2.post<TaxonomyJson>('/taxonomies', { name: 'Copied', terms });
      const { id, terms: below } = group.terms[0]!;
      const value = { id, name: 'Copy of A', terms: [{ id: below[0]!.id, name: 'Copy of B', terms: [] }] };
      const answer = await service.v2.patch<TaxonomyJson>(`/taxonomies/${group.id}`, [
        { op: 'addInto', value },
      ]);
      expect(answer.status, answer.text).to.equal(200);
      expect(shape(answer.body.terms)).to.equal('a(b),copy_of_a(copy_of_b)');
      const ids = answer.body.terms.flatMap((term) => [term.id, term.terms[0]!.id]);
      expect(new Set(ids)).to.have.property('size', 4);
      expect((await service.v2.delete(`/taxonomies/${group.id}`)).status).to.equal(204);
    });

    it('move terms beside and below others, with their ids and what is below them', async () => {
      const { body: group } = await service.v2.post<TaxonomyJson>('/taxonomies', {
        name: 'Moved',
        terms: [{ name: 'A', terms: [{ name: 'B', terms: [{ name: 'C' }] }] }, { name: 'D' }],
      });
      const move = (reference: object, place: object) =>
        service.v2.patch<TaxonomyJson>(`/taxonomies/${group.id}`, [{ op: 'move', reference, ...place }]);
      const [a] = group.terms;
      const b = { codename: 'b' };
      for (const [place, expected] of [
        [{ before: { id: a!.id } }, 'b(c),a,d'],
        [{ under: { codename: 'd' } }, 'a,d(b(c))'],
        [{ after: { codename: 'a' } }, 'a,b(c),d'],
        [{ under: { id: group.id } }, 'a,d,b(c)'],
      ] as const) {
        const { status, body, text } = await move(b, place);
        expect(status, text).to.equal(200);
        expect(shape(body.terms)).to.equal(expected);
        expect(body.terms.find(({ id }) => id === a!.id)).to.include({ codename: 'a' });
      }
      const moved = (await service.v2.get<TaxonomyJson>(`/taxonomies/${group.id}`)).body;
      expect(moved.terms.at(-1)).to.deep.equal(a!.terms[0]);
      for (const place of [
        {},
        { under: { codename: 'c' } },
        { before: b },
        { after: { codename: 'nothing' } },
        { under: 1 },
      ])
        expect((await move(b, place)).status, JSON.stringify(place)).to.equal(400);
      expect((await move({ id: group.id }, { under: { codename: 'd' } })).status).to.equal(400);
      expect((await service.v2.delete(`/taxonomies/${group.id}`)).status).to.equal(204);
    });

    it('accept operations that name the group itself, in every form', async () => {
      const made = await service.v2.post<TaxonomyJson>('/taxonomies', {
        name: 'Itself',
        external_id: 'itself',
        terms: [{ name: 'First', terms: [] }],
      });
      const { id } = made.body;
      const { status, text, body } = await service.v2.patch<TaxonomyJson>(`/taxonomies/${id}`, [
        { op: 'replace', reference: { codename: 'itself' }, property_name: 'name', value: 'It' },
        { op: 'replace', reference: { id }, property_name: 'codename', value: 'it' },
        {
          op: 'replace',
          reference: { codename: 'it' },
          property_name: 'terms',
          value: [{ name: 'Second', terms: [] }],
        },
        { op: 'addInto', reference: { external_id: 'itself' }, value: { name: 'Third', terms: [] } },
      ]);
      expect(status, text).to.equal(200);
      expect(body).to.include({ id, name: 'It', codename: 'it', external_id: 'itself' });
      expect(shape(body.terms)).to.equal('second,third');
      await service.v2.delete(`/taxonomies/${id}`);
    });

    it('accept names of terms of up to 200 characters, and codenames left empty', async () => {
      const name = (length: number) => ({
        name: 'x'.repeat(length),
        codename: '',
        external_id: '',
        terms: [],
      });
      const { status, text, body } = await service.v2.post<TaxonomyJson>('/taxonomies', {
        name: 'Long words',
        codename: '',
        terms: [name(56), name(200)],
      });
      expect(status, text).to.equal(201);
      expect(body.codename).to.equal('long_words');
      expect(body.terms[0]).to.include({ name: 'x'.repeat(56), codename: 'x'.repeat(56) });
      expect(body.terms[1]!.codename).to.equal('x'.repeat(60));
      expect(body.terms[1]).not.to.have.property('external_id');
      const renamed = await service.v2.patch<TaxonomyJson>('/taxonomies/codename/long_words', [
        { op: 'addInto', reference: { id: body.terms[0]!.id }, value: name(52) },
      ]);
      expect(renamed.status, renamed.text).to.equal(200);
      await service.v2.delete('/taxonomies/codename/long_words');
      const tooLong = { name: 'Too long', terms: [name(201)] };
      expect(await code(service.v2.post<ManageError>('/taxonomies', tooLong))).to.deep.equal([400, 5]);
    });

    it('refuse invalid operations, with their index, and change nothing', async () => {
      const before = (await service.v2.get<TaxonomyJson>('/taxonomies/codename/buyers')).body;
      const table: readonly (readonly [unknown, RegExp])[] = [
        [{ op: 'remove', reference: { codename: 'none' } }, /not found/],
        [{ op: 'remove' }, /reference to a term/],
        [{ op: 'remove', reference: { id: 'a', codename: 'b' } }, /not found/],
        [{ op: 'replace', property_name: 'id', value: 'x' }, /can be replaced/],
        [{ op: 'replace', property_name: 'name', value: 1 }, /must be a string/],
        [{ op: 'replace', property_name: 'name', value: '' }, /must not be empty/],
        [{ op: 'replace', property_name: 'codename', value: 'Not One' }, /codename/],
        [{ op: 'replace', property_name: 'codename', value: '' }, /must not be empty/],
        [{ op: 'remove', reference: { codename: 'buyers' } }, /delete it/],
        [{ op: 'replace', property_name: 'terms', value: 'x' }, /array of terms/],
        [{ op: 'addInto', value: 'x' }, /must be a term/],
        [{ op: 'addInto', value: { name: 'Y', terms: 7 } }, /array is expected/],
        [{ op: 'addInto', value: { name: 'Y', terms: [] }, after: { codename: 'barista' } }, /not found/],
        [{ op: 'addInto', value: { name: 'Y', codename: 'fan', terms: [] } }, /taken/],
        [{ op: 'swap' }, /operations are/],
      ];
      for (const [operation, message] of table) {
        const shown = JSON.stringify(operation);
        const answer = await service.v2.patch<ManageError>('/taxonomies/codename/buyers', [
          { op: 'addInto', value: { name: 'Half', terms: [] } },
          operation,
        ]);
        expect([answer.status, answer.body.error_code], shown).to.deep.equal([400, 5]);
        const findings = answer.body.validation_errors!;
        expect(findings.map((finding) => finding.message).join(), shown).to.match(message);
        expect(findings[0]!.message, shown).to.match(/^Invalid operation with index '1'/);
      }
      expect((await service.v2.get('/taxonomies/codename/buyers')).body).to.deep.equal(before);
    });

    it('need an array of terms, even an empty one', async () => {
      const answer = await service.v2.post<ManageError>('/taxonomies', { name: 'Bare' });
      expect([answer.status, answer.body.error_code]).to.deep.equal([400, 5]);
      expect(answer.body.validation_errors![0]!.message).to.match(/terms/);
      expect((await service.v2.post('/taxonomies', { name: 'Bare', terms: [] })).status).to.equal(201);
    });

    it('report an external id that is taken once, wherever the other one is', async () => {
      const term = (external_id: string, ...terms: readonly object[]) => ({
        name: external_id,
        external_id,
        terms,
      });
      const group = { name: 'Only', external_id: 'only-one', terms: [term('one-term')] };
      expect((await service.v2.post('/taxonomies', group)).status).to.equal(201);
      const findings = async (answer: Promise<{ readonly body: ManageError }>) =>
        (await answer).body.validation_errors!.map(({ message, path }) => [message, path]);
      expect(await findings(service.v2.post<ManageError>('/taxonomies', group))).to.deep.equal([
        ["The external id 'only-one' is taken.", 'external_id'],
      ]);
      const twice = { name: 'Twice', terms: [term('same', term('same'))] };
      expect(await findings(service.v2.post<ManageError>('/taxonomies', twice))).to.deep.equal([
        ["The external id 'same' is taken.", 'terms[0].terms[0].external_id'],
      ]);
      for (const place of [{}, { before: { external_id: 'one-term' } }]) {
        const operation = { op: 'addInto', value: term('one-term'), ...place };
        const path = '/taxonomies/external-id/only-one';
        expect(await findings(service.v2.patch<ManageError>(path, [operation]))).to.deep.equal([
          ["Invalid operation with index '0': The external id 'one-term' is taken.", '[0]'],
        ]);
      }
      expect((await service.v2.delete('/taxonomies/external-id/only-one')).status).to.equal(204);
    });

    it('report all findings in their terms, however deep', async () => {
      const answer = await service.v2.post<ManageError>('/taxonomies', {
        name: 'x'.repeat(51),
        terms: [
          { name: '', terms: [] },
          { name: 'A', terms: [{ name: 'B', external_id: 5, terms: [] }] },
          { name: 'C', codename: 'same' },
          { name: 'D', codename: 'same' },
        ],
      });
      expect(answer.body.validation_errors!.map(({ path }) => path)).to.have.members([
        'name',
        'terms[0].name',
        'terms[1].terms[0].external_id',
        'terms[3].codename',
      ]);
    });

    it('cannot be deleted while an element is of them', async () => {
      const answer = await service.v2.delete<ManageError>('/taxonomies/codename/topics');
      expect([answer.status, answer.body.error_code]).to.deep.equal([400, 0]);
      expect(answer.body.message).to.match(/article/);
      expect((await service.v2.delete('/taxonomies/codename/buyers')).status).to.equal(204);
      for (const call of [
        service.v2.get<ManageError>('/taxonomies/codename/buyers'),
        service.v2.delete<ManageError>('/taxonomies/codename/buyers'),
        service.v2.patch<ManageError>('/taxonomies/codename/buyers', []),
      ]) {
        expect(await code(call)).to.deep.equal([404, 107]);
      }
    });

    it('can be deleted and made anew under the same external id, as when a project is imported again', async () => {
      const body = { name: 'Winds', external_id: 'winds', terms: [{ name: 'East', terms: [] }] };
      const first = await service.v2.post<TaxonomyJson>('/taxonomies', body);
      expect((await service.v2.delete(`/taxonomies/${first.body.id}`)).status).to.equal(204);
      const second = await service.v2.post<TaxonomyJson>('/taxonomies', { ...body, terms: [] });
      expect(second.status, second.text).to.equal(201);
      expect(second.body).to.deep.include({ id: first.body.id, codename: 'winds', terms: [] });
      expect((await service.v2.delete('/taxonomies/external-id/winds')).status).to.equal(204);
    });

    it('are listed as an object with pages', async () => {
      const { body } = await service.v2.get<{
        taxonomies: readonly TaxonomyJson[];
        pagination: { continuation_token: null };
      }>('/taxonomies');
      expect(body.taxonomies.map(({ codename }) => codename)).to.deep.equal(['topics', 'audience', 'bare']);
      expect(body.pagination.continuation_token).to.equal(null);
    });

    it('show a renamed term to readers at once', async () => {
      const answer = await service.v2.patch('/taxonomies/codename/topics', [
        { op: 'replace', reference: { codename: 'sailing' }, property_name: 'name', value: 'Under sail' },
      ]);
      expect(answer.status, answer.text).to.equal(200);
      const item = await service.delivery.get('/items/lighthouse');
      expect(item.text).to.contain('"name":"Under sail","codename":"under_sail"');
    });
  });

  describe('languages', () => {
    const list = async () =>
      (await service.v2.get<{ languages: readonly LanguageJson[] }>('/languages')).body.languages;

    it('are listed with the fallback of each', async () => {
      const languages = await list();
      expect(languages.map(({ codename }) => codename)).to.deep.equal(['en-US', 'de-DE', 'de-AT', 'fr']);
      expect(languages[0]).to.deep.equal({
        id: DEFAULT,
        name: 'English',
        codename: 'en-US',
        is_active: true,
        is_default: true,
        fallback_language: { id: DEFAULT },
      });
      expect(languages[2]!.fallback_language.id).to.equal(languages[1]!.id);
      expect(languages[3]!.is_active).to.equal(false);
    });

    it('are added, with a fallback or the default one, and found in every form', async () => {
      const answer = await service.v2.post<LanguageJson>('/languages', {
        name: 'German (Swiss)',
        codename: 'de-CH',
        is_active: true,
        fallback_language: { codename: 'de-DE' },
        external_id: 'swiss-german',
      });
      expect(answer.status, answer.text).to.equal(201);
      const language = answer.body;
      expect(Object.keys(language)).to.deep.equal([
        'id',
        'name',
        'codename',
        'external_id',
        'is_active',
        'is_default',
        'fallback_language',
      ]);
      expect(answer.headers.get('location')).to.equal(`${service.v2.baseUrl}/languages/${language.id}`);
      for (const path of [language.id, 'codename/de-CH', 'external-id/swiss-german']) {
        expect((await service.v2.get(`/languages/${path}`)).body, path).to.deep.equal(language);
      }
      const plain = await service.v2.post<LanguageJson>('/languages', { name: 'Czech', codename: 'cs' });
      expect(plain.body.fallback_language).to.deep.equal({ id: DEFAULT });
    });

    it('change by operations, and readers get the new fallback at once', async () => {
      const answer = await service.v2.patch<LanguageJson>('/languages/codename/cs', [
        { op: 'replace', property_name: 'fallback_language', value: { codename: 'de-DE' } },
        { op: 'replace', property_name: 'name', value: 'Čeština' },
        { op: 'replace', property_name: 'codename', value: 'cs-CZ' },
      ]);
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body).to.include({ name: 'Čeština', codename: 'cs-CZ' });
      const item = await service.delivery.get<{ item: { system: { language: string } } }>(
        '/items/lighthouse?language=cs-CZ',
      );
      expect(item.body.item.system.language).to.equal('de-DE');
    });

    it('are saved once, after all operations', async () => {
      const { sql } = service.service.core.operations.reader;
      const count = async () =>
        Number(
          (await sql.get<{ rows: number }>("SELECT count(*) AS rows FROM change WHERE type = 'language'"))!
            .rows,
        );
      const before = await count();
      const to = (property_name: string, value: unknown) => ({ op: 'replace', property_name, value });
      const answer = await service.v2.patch<LanguageJson>('/languages/codename/cs-CZ', [
        to('codename', 'cs'),
        to('fallback_language', { codename: 'cs' }),
        to('is_active', false),
        to('fallback_language', { codename: 'de-DE' }),
        to('codename', 'cs-CZ'),
        to('is_active', true),
        to('name', 'Czech'),
      ]);
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body).to.include({ name: 'Czech', codename: 'cs-CZ', is_active: true });
      expect((await count()) - before).to.equal(1);
    });

    it('change by POST too, which is how one published client sends its operations', async () => {
      const answer = await service.v2.post<LanguageJson>('/languages/codename/cs-CZ', [
        { op: 'replace', property_name: 'name', value: 'Czech' },
      ]);
      expect([answer.status, answer.body.name]).to.deep.equal([200, 'Czech']);
    });

    it('refuse what cannot be: code 0 for a fallback that is not there or inactive, code 5 in operations', async () => {
      for (const fallback of ['fr', 'none']) {
        const body = { name: 'X', codename: 'xx', fallback_language: { codename: fallback } };
        expect(await code(service.v2.post<ManageError>('/languages', body)), fallback).to.deep.equal([
          400, 0,
        ]);
      }
      const bodies = [
        {},
        { name: 'X' },
        { name: 'x'.repeat(26), codename: 'xx' },
        { name: 'X', codename: 'not one' },
        { name: 'X', codename: 'de-DE' },
        { name: 'X', codename: 'xx', is_active: 'yes' },
        { name: 'X', codename: 'xx', fallback_language: 'de-DE' },
        { name: 'X', codename: 'xx', external_id: 'swiss-german' },
        { name: '', codename: 'xx', fallback_language: { codename: 'fr' } },
      ];
      for (const body of bodies) {
        const answer = service.v2.post<ManageError>('/languages', body);
        expect(await code(answer), JSON.stringify(body)).to.deep.equal([400, 5]);
      }
      const before = (await service.v2.get('/languages/codename/de-AT')).body;
      const operations: readonly (readonly [unknown, RegExp])[] = [
        [
          { op: 'replace', property_name: 'fallback_language', value: { codename: 'fr' } },
          /no active fallback/,
        ],
        [{ op: 'replace', property_name: 'fallback_language', value: 'fr' }, /reference to a language/],
        [{ op: 'replace', property_name: 'codename', value: 'de-DE' }, /taken/],
        [{ op: 'replace', property_name: 'is_active', value: 0 }, /true or false/],
        [{ op: 'replace', property_name: 'id', value: 'x' }, /can be replaced/],
        [{ op: 'remove', property_name: 'name' }, /operations are/],
      ];
      for (const [operation, message] of operations) {
        const answer = await service.v2.patch<ManageError>('/languages/codename/de-AT', [
          { op: 'replace', property_name: 'name', value: 'Half' },
          operation,
        ]);
        const shown = JSON.stringify(operation);
        expect([answer.status, answer.body.error_code], shown).to.deep.equal([400, 5]);
        const found = answer.body.validation_errors![0]!.message;
        expect(found, shown).to.match(message);
        expect(found.match(/Invalid operation/g), found).to.have.length(1);
      }
      const all = await service.v2.patch<ManageError>(
        '/languages/codename/de-AT',
        operations.map(([operation]) => operation),
      );
      expect(all.body.validation_errors).to.have.length(operations.length);
      const two = await service.v2.post<ManageError>('/languages', {
        name: '',
        codename: 'xx',
        fallback_language: { codename: 'fr' },
      });
      expect(two.body.validation_errors!.map(({ path }) => path)).to.have.members([
        'name',
        'fallback_language',
      ]);
      expect((await service.v2.get('/languages/codename/de-AT')).body).to.deep.equal(before);
      const own = [{ op: 'replace', property_name: 'is_active', value: false }];
      expect(await code(service.v2.patch<ManageError>(`/languages/${DEFAULT}`, own))).to.deep.equal([400, 5]);
      expect(await code(service.v2.get<ManageError>('/languages/codename/none'))).to.deep.equal([404, 111]);
      expect(await code(service.v2.patch<ManageError>('/languages/codename/none', []))).to.deep.equal([
        404, 111,
      ]);
    });
  });

  it('lists workflow steps as a bare array; moves lead to steps of the list', async () => {
    const { body } =
      await service.v2.get<readonly { id: string; name: string; transitions_to: string[] }[]>('/workflow');
    expect(body.map(({ name }) => name)).to.deep.equal(['Draft', 'Published', 'Scheduled', 'Archived']);
    const ids = body.map(({ id }) => id);
    for (const step of body) expect(ids).to.include.members(step.transitions_to);
  });

  describe('webhooks', () => {
    const body = {
      name: 'Site',
      url: 'https://example.com/hook',
      secret: 'shared',
      triggers: {
        delivery_api_content_changes: [
          { type: 'content_item_variant', operations: ['publish', 'unpublish'] },
          { type: 'taxonomy', operations: ['archive', 'restore', 'upsert'] },
        ],
        workflow_step_changes: [] as unknown[],
      },
    };

    it('have their URL as it is parsed; control characters in it are refused', async () => {
      for (const [sent, kept] of [
        ['  https://Example.COM:443/a b?q=ä#part  ', 'https://example.com/a%20b?q=%C3%A4#part'],
        ['HTTPS://münchen.example', 'https://xn--mnchen-3ya.example/'],
        ['https:\\\\example.com\\hook', 'https://example.com/hook'],
        ['http://0x7f.1/../x', 'http://127.0.0.1/x'],
        ['https://@example.com/', 'https://example.com/'],
        ['https://example.com', 'https://example.com'],
        ['http://127.0.0.1:9', 'http://127.0.0.1:9'],
        [` https://example.com/${'x'.repeat(230)} `, `https://example.com/${'x'.repeat(230)}`],
      ] as const) {
        const answer = await service.v2.post<{ id: string; url: string }>('/webhooks', {
          ...body,
          url: sent,
        });
        expect([answer.status, answer.body.url], sent).to.deep.equal([201, kept]);
        const { id } = answer.body;
        expect((await service.v2.get<{ url: string }>(`/webhooks/${id}`)).body.url).to.equal(kept);
        expect(await service.v2.delete(`/webhooks/${id}`)).to.include({ status: 204 });
      }
      for (const control of ['\r\n', '\t', '\n', '\0', '\u001f', '\u007f', '\u0085']) {
        for (const url of [
          `https://example.com/${control}a`,
          `https://example.com/${control}`,
          `${control}https://example.com/`,
        ]) {
          const answer = await service.v2.post<ManageError>('/webhooks', { ...body, url });
          const found = answer.body.validation_errors?.map(({ path }) => path);
          expect([answer.status, answer.body.error_code, found], JSON.stringify(url)).to.deep.equal([
            400,
            5,
            ['url'],
          ]);
        }
      }
      expect((await service.v2.get('/webhooks')).body).to.deep.equal([]);
    });

    it('are registered, read, listed as a bare array and deleted', async () => {
      const steps = (await service.v2.get<readonly { id: string }[]>('/workflow')).body;
      const triggers = {
        ...body.triggers,
        workflow_step_changes: [{ type: 'content_item_variant', transitions_to: [{ id: steps[1]!.id }] }],
      };
      const answer = await service.v2.post<{ id: string; last_modified: string }>('/webhooks', {
        ...body,
        triggers,
      });
      expect(answer.status, answer.text).to.equal(201);
      const { id, last_modified, ...rest } = answer.body;
      expect(rest).to.deep.equal({ ...body, triggers });
      expect(last_modified).to.match(/Z$/);
      expect(answer.headers.get('location')).to.equal(`${service.v2.baseUrl}/webhooks/${id}`);
      expect((await service.v2.get(`/webhooks/${id}`)).body).to.deep.equal(answer.body);
      expect((await service.v2.get('/webhooks')).body).to.deep.equal([answer.body]);
      for (const call of ['disable', 'enable', 'enable']) {
        expect(await service.v2.put(`/webhooks/${id}/${call}`), call).to.include({ status: 204, text: '' });
      }
      expect(await code(service.v2.put<ManageError>('/webhooks/none/enable'))).to.deep.equal([404, 111]);
      expect(await service.v2.delete(`/webhooks/${id}`)).to.include({ status: 204, text: '' });
      expect(await code(service.v2.get<ManageError>(`/webhooks/${id}`))).to.deep.equal([404, 111]);
      expect(await code(service.v2.delete<ManageError>(`/webhooks/${id}`))).to.deep.equal([404, 111]);
    });

    it('report an empty secret', async () => {
      const answer = await service.v2.post('/webhooks', {
        name: 'All',
        url: 'https://example.com/',
        secret: ' ',
      });
      expect(answer.text).to.include('The secret must not be empty');
    });

    it('get a secret of their own when none is given, and may leave triggers out', async () => {
      const answer = await service.v2.post<{ secret: string; triggers: unknown }>('/webhooks', {
        name: 'All',
        url: 'http://localhost:9000/',
      });
      expect(answer.status, answer.text).to.equal(201);
      expect(answer.body.secret).to.have.length.greaterThan(40);
      expect(answer.body.triggers).to.deep.equal({
        delivery_api_content_changes: [],
        workflow_step_changes: [],
      });
    });

    it('refuse what is no registration, with the place', async () => {
      const change = (one: unknown) => ({ ...body, triggers: { delivery_api_content_changes: [one] } });
      const table: readonly (readonly [unknown, string | undefined])[] = [
        [{ ...body, name: '' }, 'name'],
        [{ ...body, name: 'x'.repeat(201) }, 'name'],
        [{ ...body, url: 'example.com' }, 'url'],
        [{ ...body, url: 'ftp://example.com/' }, 'url'],
        [{ ...body, url: 'https://user:word@example.com/' }, 'url'],
        [{ ...body, url: `https://example.com/${'x'.repeat(250)}` }, 'url'],
        // Kept as 620 characters, which could not be sent back.
        [{ ...body, url: `https://example.com/${'ä'.repeat(100)}` }, 'url'],
        [{ ...body, secret: '' }, 'secret'],
        [{ ...body, secret: 7 }, 'secret'],
        [{ ...body, triggers: [] }, 'triggers'],
        [change({ type: 'weather', operations: [] }), 'triggers.delivery_api_content_changes[0].type'],
        [
          change({ type: 'taxonomy', operations: ['burn'] }),
          'triggers.delivery_api_content_changes[0].operations[0]',
        ],
        [
          change({ type: 'taxonomy', operations: ['publish', 'unpublish'] }),
          'triggers.delivery_api_content_changes[0].operations',
        ],
        [
          {
            ...body,
            triggers: {
              workflow_step_changes: [
                {
                  type: 'content_item_variant',
                  transitions_to: [{ codename: 'published' }, { id: DEFAULT }],
                },
              ],
            },
          },
          'triggers.workflow_step_changes[0].transitions_to[1]',
        ],
      ];
      for (const [sent, path] of table) {
        const answer = await service.v2.post<ManageError>('/webhooks', sent);
        const shown = JSON.stringify(sent).slice(0, 200);
        expect([answer.status, answer.body.error_code], shown).to.deep.equal([400, 5]);
        expect(
          answer.body.validation_errors!.map((finding) => finding.path),
          shown,
        ).to.deep.equal([path]);
      }
    });
  });
});
