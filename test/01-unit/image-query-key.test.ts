import { expect } from 'chai';
import fc from 'fast-check';
import { imageParameters } from '../../core/files/openapi-image-parameters.ts';
import { imageQueryKey } from '../../core/images/image-query-key.ts';
import { planImage } from '../../core/images/plan-image.ts';
import { planKey } from '../../core/images/plan-key.ts';
import { PARAMETER_NAMES, readParameters } from '../../core/images/read-parameters.ts';
import { imageQueries, imageSources } from '../support/images/random-image-query.ts';

const WEBP = 'text/html,image/webp;q=0.9,*/*';

describe('image parameters in OpenAPI', () => {
  it('are those that are read', () => {
    expect(imageParameters.map(({ name }) => name)).to.have.members([...PARAMETER_NAMES]);
  });
});

describe('the key of an image query', () => {
  const same: readonly (readonly [string, ...string[]])[] = [
    ['', 'w=0', 'x=1', 'dpr=2', 'fit=crop', 'crop=focalpoint', 'lossless=1', 'fp-x=0.1', 'fm=bmp'],
    [
      'w=100',
      'w=100&w=5',
      'w=100.3',
      'w=00100',
      'fit=clip&w=100',
      'y=1&w=100',
      'w=100&lossless=1',
      'w=100&fp-x=1',
    ],
    ['w=0.5&h=10', 'h=10&w=.5', 'w=0.500&h=10.0', 'h=10&fit=zoom&w=0.5'],
    ['w=9&h=9&fit=crop&crop=focalpoint', 'crop=focalpoint&fit=crop&h=9&w=9&fp-x=0.5&fp-y=.50&fp-z=1'],
    ['rect=1,2,3,4', 'rect=1,2.2,3,4.0'],
    ['bg=f00', 'bg=FF0000', 'bg=ffff0000'],
    ['auto=format', 'auto=webp', 'auto=compress,format'],
  ];
  for (const queries of same) {
    it(`is one for ${queries.map((query) => query || 'nothing').join(' and ')}`, () => {
      expect(new Set(queries.map((query) => imageQueryKey(query, WEBP))).size).to.equal(1);
    });
  }

  it('differs between those', () => {
    const others = same.map(([query]) => imageQueryKey(query, WEBP));
    expect(new Set(others).size).to.equal(others.length);
  });

  it('depends on support of WebP where the URL negotiates it', () => {
    for (const accept of ['image/webp', 'IMAGE/WEBP', WEBP])
      expect(imageQueryKey('auto=format', accept)).to.equal(imageQueryKey('auto=format', 'image/webp'));
    for (const accept of [
      undefined,
      '',
      '*/*',
      'image/*',
      'image/webp;q=0',
      'image/webp; q=0.000',
      'image/webpx',
    ])
      expect(imageQueryKey('auto=format', accept)).to.equal(imageQueryKey('auto=format', undefined));
    expect(imageQueryKey('auto=format', WEBP)).not.to.equal(imageQueryKey('auto=format', undefined));
    expect(imageQueryKey('w=5', WEBP)).to.equal(imageQueryKey('w=5', undefined));
  });

  it('never is equal for two answers, in 3000 random pairs', () => {
    fc.assert(
      fc.property(imageQueries, imageQueries, imageSources, fc.boolean(), (one, other, source, webp) => {
        const accept = webp ? WEBP : '*/*';
        const plan = (query: string) => {
          const planned = planImage(readParameters(query), source, webp);
          return planned === 'original' ? planned : planKey(planned);
        };
        // The second half of the pair means the same often enough.
        for (const second of [other, `${one}&${other}`, one.split('&').reverse().join('&')])
          if (imageQueryKey(one, accept) === imageQueryKey(second, accept))
            expect(plan(second)).to.equal(plan(one));
      }),
      { numRuns: 1000 },
    );
  });
});
