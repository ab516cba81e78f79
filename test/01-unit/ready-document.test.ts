import { expect } from 'chai';
import { ReadyDocument } from '../../core/delivery/ready-document.ts';

const MARK = '\u0001';
const BODY = `{"a":"${MARK}/one.png","b":"é","c":"${MARK}/two.png"}`;
const COMPONENTS = `"part":{"x":"${MARK}/three.png"}`;

function document(body: string | Uint8Array, components: string): ReadyDocument {
  return new ReadyDocument({ number: 1, item: 2, codename: 'anchor', type: 3, body, components, linked: [] });
}

describe('a document with asset URLs', () => {
  const text = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString();

  for (const [title, body] of [
    ['text', BODY],
    ['bytes', Buffer.from(BODY)],
  ] as const)
    it(`of ${title} has the base of each request in every place`, () => {
      const made = document(body, COMPONENTS);
      const { digest } = made;
      for (const base of ['https://a.example/assets', 'b', '', '', 'https://long.example/é/assets', 'b']) {
        const shown = BODY.replaceAll(MARK, base);
        const counted = made.bytes(base);
        expect(text(made.keyed(base))).to.equal(`"anchor":${shown},`);
        expect(text(made.body(base))).to.equal(`${shown},`);
        expect(text(made.components(base))).to.equal(`${COMPONENTS.replaceAll(MARK, base)},`);
        expect(counted).to.equal(made.keyed(base).length + (made.components(base)?.length ?? 0));
        expect(made.bytes()).to.equal(counted);
      }
      expect(made.digest).to.equal(digest);
      expect(made.digest).to.equal(document(BODY, COMPONENTS).digest);
    });

  it('keeps its bytes where no URL is in them', () => {
    const made = document('{"a":"b"}', '');
    const bytes = made.keyed('https://a.example');
    expect(made.keyed('b')).to.equal(bytes);
    expect(text(made.body('b'))).to.equal('{"a":"b"},');
    expect(made.components('b')).to.equal(null);
  });

  it('has the digest that other versions make of the same bytes, so that clients keep their answers', () => {
    expect(document('{"a":"b"}', '').digest).to.equal('azYkXUGFqCRLRqv2VrJEnx');
    expect(document('{"a":"b"}', '"part":{"x":1}').digest).to.equal('QHhdGwQxVnNSgWq-ujTGJ3');
  });
});
