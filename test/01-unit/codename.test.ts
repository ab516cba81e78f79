import { expect } from 'chai';
import fc from 'fast-check';
import { isCodename, toCodename, uniqueCodename } from '../../core/model/codename.ts';
import { idOfExternalId, isId } from '../../core/model/external-id.ts';

describe('codenames', () => {
  it('are the name in lower case with an underscore for every other character', () => {
    expect(toCodename('On Roasts!')).to.equal('on_roasts_');
    expect(toCodename('Über-Café')).to.equal('_ber_caf_');
    expect(toCodename('2nd floor')).to.equal('n2nd_floor');
    expect(toCodename('x'.repeat(80), 50)).to.have.length(50);
  });

  it('are codenames whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (name) => isCodename(toCodename(name))),
    );
  });

  it('get the first seven digits of the id where they are taken, and more where that is taken too', () => {
    const id = 'e5f40291-0000-4000-8000-000000000000';
    expect(uniqueCodename('hooray_', () => false, id)).to.equal('hooray_');
    expect(uniqueCodename('hooray_', (taken) => taken === 'hooray_', id)).to.equal('hooray__e5f4029');
    const taken = new Set(['hooray_', 'hooray__e5f4029']);
    expect(uniqueCodename('hooray_', (codename) => taken.has(codename), id)).to.equal('hooray__e5f40291');
    expect(
      uniqueCodename('x'.repeat(60), (codename) => codename.length === 60 && !codename.includes('_'), id),
    ).to.equal(`${'x'.repeat(52)}_e5f4029`);
  });
});

describe('ids of external ids', () => {
  it('are those of RFC 9562 for version 5', () => {
    // The DNS namespace, with `kind:` before the name; made with Python's uuid.uuid5.
    for (const [text, id] of [
      ['www.example.com', '7e771ae3-96f7-5d94-9fe5-28ae664227ec'],
      ['über', 'e01b8c03-dba6-5aff-9c76-0011afddc6ad'],
      ['0', '34d28412-f02e-5cb9-8be2-6a6727adbb1b'],
      ['3', 'c555810b-550c-51ef-b4b6-6f9b019972b3'],
      ['7', '2ef7ebc3-1262-528c-a80a-28901dc20ccd'],
    ] as const)
      expect(idOfExternalId('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'item', text)).to.equal(id);
  });

  it('differ by project, kind and text, and are ids', () => {
    const one = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
    const two = '6ba7b811-9dad-11d1-80b4-00c04fd430c8';
    const ids = [
      idOfExternalId(one, 'item', 'a'),
      idOfExternalId(two, 'item', 'a'),
      idOfExternalId(one, 'asset', 'a'),
      idOfExternalId(one, 'item', 'b'),
    ];
    expect(new Set(ids).size).to.equal(4);
    expect(ids.every(isId)).to.equal(true);
    expect(idOfExternalId(one, 'item', 'a')).to.equal(ids[0]);
  });
});
