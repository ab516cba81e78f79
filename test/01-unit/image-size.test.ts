import { expect } from 'chai';
import fc from 'fast-check';
import { imageSize } from '../../core/assets/image-size.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('the size of an image', () => {
  const files: readonly [kind: string, head: Buffer, size: { width: number; height: number }][] = [
    ['PNG', hex('89504e470d0a1a0a 0000000d 49484452 00000102 00000003'), { width: 258, height: 3 }],
    ['GIF', hex('474946383961 0201 0300'), { width: 258, height: 3 }],
    [
      'JPEG, after other segments',
      hex('ffd8 ffe0 0004 0000 ff ffc4 0003 00 ffc2 0011 08 0003 0102 03'),
      { width: 258, height: 3 },
    ],
    [
      'WebP, lossy',
      hex('52494646 00000000 57454250 56503820 00000000 000000 9d012a 0201 0300'),
      { width: 258, height: 3 },
    ],
    [
      'WebP, lossless',
      hex('52494646 00000000 57454250 5650384c 00000000 2f 01810000'),
      { width: 258, height: 3 },
    ],
    [
      'WebP, extended',
      hex('52494646 00000000 57454250 56503858 00000000 00000000 010100 020000'),
      { width: 258, height: 3 },
    ],
  ];
  for (const [kind, head, size] of files) {
    it(`is read from a ${kind}`, () => {
      expect(imageSize(head)).to.deep.equal(size);
    });
  }

  it('is unknown for what is no image, or is cut short', () => {
    for (const head of ['', 'ffd8', 'ffd8ffe0', '89504e470d0a1a0a', '25504446']) {
      expect(imageSize(hex(head)), head).to.equal(undefined);
    }
    fc.assert(fc.property(fc.uint8Array(), (head) => imageSize(head) === undefined || true));
  });
});
