/** What a person may do with content, and the conditions of listings. */
import { expect } from 'chai';
import type { ProjectModel } from '../../core/model/model.ts';
import {
  type ContentAccess,
  type ContentScope,
  permitsContent,
  requireContent,
  visibleWhere,
} from '../../core/transaction/content-access.ts';

const named = (number: number, codename: string) => ({ number, codename, name: codename.toUpperCase() });
const [article, page] = [named(1, 'article'), named(2, 'page')];
const [english, german] = [named(7, 'en'), named(8, 'de')];
const model = { types: [article, page], languages: [english, german] } as unknown as ProjectModel;

const editing = (...scopes: readonly ContentScope[]) => ({
  access: { 'edit-content': scopes } as unknown as ContentAccess,
  model,
});
const viewing = (...scopes: readonly ContentScope[]) => ({
  access: { 'view-content': scopes } as unknown as ContentAccess,
  model,
});
const everything = { types: null, languages: null };
const inGerman = { types: null, languages: ['de'] };
const englishPages = { types: ['page'], languages: ['en'] };

describe('access to content', () => {
  it('is everything where no person asks', () => {
    expect(permitsContent({}, 'publish', { type: 'all', language: 'all' })).to.equal(true);
    expect(visibleWhere({ model }, { type: 'i.type' })).to.deep.equal([]);
  });

  for (const [scopes, type, language, expected] of [
    [[everything], page, german, true],
    [[everything], 'all', 'all', true],
    [[inGerman], page, german, true],
    [[inGerman], page, english, false],
    [[inGerman], page, 'all', false],
    [[inGerman], page, 'some', true],
    [[inGerman], 'all', german, true],
    [[englishPages], article, 'some', false],
    [[englishPages], 'some', english, true],
    [[englishPages], 'some', german, false],
    [[inGerman, englishPages], page, english, true],
    [[inGerman, englishPages], article, english, false],
    [[inGerman, englishPages], page, 'all', false],
    [[], page, german, false],
    [[], 'some', 'some', false],
  ] as const) {
    const nameOf = (one: typeof type | typeof language) => (typeof one === 'string' ? one : one.codename);
    it(`${expected ? 'permits' : 'refuses'} ${nameOf(type)} in ${nameOf(language)} with ${JSON.stringify(scopes)}`, () => {
      const access = editing(...scopes);
      expect(permitsContent(access, 'edit-content', { type, language })).to.equal(expected);
    });
  }

  it('says what is missing', () => {
    expect(() =>
      requireContent(editing(inGerman), 'edit-content', { type: page, language: english }),
    ).to.throw(
      "Your roles in this project do not include 'edit-content' for items of the type 'PAGE' in the language 'EN'.",
    );
    expect(() => requireContent(editing(inGerman), 'edit-content', { type: page, language: 'all' })).to.throw(
      "Your roles in this project do not include 'edit-content' for items of the type 'PAGE' in all languages.",
    );
  });

  it('becomes a condition of a listing', () => {
    const columns = { type: 'i.type', language: 'v.language' };
    const where = (...scopes: readonly ContentScope[]) => visibleWhere(viewing(...scopes), columns);
    expect(where(inGerman, everything)).to.deep.equal([]);
    expect(where(inGerman)).to.deep.equal(['(v.language IN (8))']);
    expect(where(inGerman, englishPages)).to.deep.equal([
      '(v.language IN (8) OR i.type IN (2) AND v.language IN (7))',
    ]);
    expect(where({ types: ['unknown'], languages: null })).to.deep.equal(['(1 = 0)']);
    expect(where()).to.deep.equal(['1 = 0']);
    expect(visibleWhere(viewing(inGerman), { type: 'i.type' }), 'rows without a language').to.deep.equal([
      '(1 = 1)',
    ]);
  });
});
