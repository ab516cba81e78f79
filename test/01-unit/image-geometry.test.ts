/** Image parameters against an oracle in whole numbers (spec 4.2). */

import { expect } from 'chai';
import fc from 'fast-check';
import { planImage } from '../../core/images/plan-image.ts';
import { planKey } from '../../core/images/plan-key.ts';
import { readParameters } from '../../core/images/read-parameters.ts';
import type { ImagePlan } from '../../workers/images/image-transform.ts';
import { expectedImage, type OracleResult, type OracleSource } from '../support/images/image-oracle.ts';
import { imageQueries, imageSources } from '../support/images/random-image-query.ts';
import { isLongForm } from '../support/long-form.ts';

const CASES = isLongForm ? 100_000 : 3000;

const PHOTO: OracleSource = { format: 'jpeg', width: 300, height: 200, frames: 1, alpha: false };
const DRAWING: OracleSource = { format: 'png', width: 300, height: 200, frames: 1, alpha: true };
const ANIMATION: OracleSource = { format: 'gif', width: 300, height: 200, frames: 4, alpha: true };

const planOf = (query: string, source = PHOTO, takesWebp = false) =>
  planImage(readParameters(query), source, takesWebp);

/** The plan in the form of the oracle. */
function toOracleResult(plan: ImagePlan | 'original', source: OracleSource): OracleResult | 'original' {
  if (plan === 'original') return plan;
  const { encoding, background, window } = plan;
  const region = window ?? { left: 0, top: 0, width: source.width, height: source.height };
  const hex = (value: number) => value.toString(16).padStart(2, '0');
  const output = {
    jpeg: 'progressive' in encoding && encoding.progressive ? 'pjpg' : 'jpg',
    png: 'palette' in encoding && encoding.palette ? 'png8' : 'png',
    gif: 'gif',
    webp: 'lossless' in encoding ? 'webp-lossless' : 'webp',
  } as const;
  return {
    left: region.left,
    top: region.top,
    windowWidth: region.width,
    windowHeight: region.height,
    width: plan.width,
    height: plan.height,
    output: output[encoding.format],
    quality: 'quality' in encoding ? encoding.quality : undefined,
    background: background
      ? [background.alpha, background.red, background.green, background.blue].map(hex).join('')
      : undefined,
    animated: plan.frames === 'all',
  };
}

describe('image parameters', () => {
  it(`match the oracle for ${CASES} random URLs and images`, function () {
    this.timeout(CASES * 10);
    let transformed = 0;
    fc.assert(
      fc.property(imageQueries, imageSources, fc.boolean(), (query, source, takesWebp) => {
        const plan = planOf(query, source, takesWebp);
        if (plan !== 'original') transformed += 1;
        expect(toOracleResult(plan, source)).to.deep.equal(expectedImage(query, source, takesWebp));
      }),
      { numRuns: CASES },
    );
    // Ensures that the cases are meaningful.
    expect(transformed).to.be.greaterThan(CASES / 2);
  });

  it('never exceed the size of the image, nor 8192 pixels a side', () => {
    fc.assert(
      fc.property(imageQueries, imageSources, (query, source) => {
        const plan = planOf(query, source);
        if (plan === 'original') return;
        const window = plan.window ?? { left: 0, top: 0, width: source.width, height: source.height };
        for (const number of [plan.width, plan.height, ...Object.values(window)])
          expect(Number.isSafeInteger(number)).to.equal(true);
        expect(window.left).to.be.at.least(0);
        expect(window.top).to.be.at.least(0);
        expect(window.left + window.width).to.be.at.most(source.width);
        expect(window.top + window.height).to.be.at.most(source.height);
        expect(plan.width).to.be.within(1, Math.min(8192, window.width));
        expect(plan.height).to.be.within(1, Math.min(8192, window.height));
      }),
      { numRuns: 1000 },
    );
  });

  /** [query, left, top, width, height of the window, width, height of the result], calculated manually. */
  const geometry: readonly [string, readonly number[], width: number, height: number][] = [
    ['w=400&h=100', [0, 0, 300, 200], 150, 100],
    ['w=400&h=100&fit=scale', [0, 0, 300, 200], 300, 100],
    ['w=400&h=100&fit=crop', [0, 50, 300, 100], 300, 100],
    ['w=150', [0, 0, 300, 200], 150, 100],
    ['w=97.55', [0, 0, 300, 200], 98, 65],
    ['w=0.5', [0, 0, 300, 200], 150, 100],
    ['w=1', [0, 0, 300, 200], 1, 1],
    ['w=1.0', [0, 0, 300, 200], 1, 1],
    ['w=100&dpr=2', [0, 0, 300, 200], 200, 133],
    ['w=100&dpr=100', [0, 0, 300, 200], 300, 200],
    ['w=50&fit=scale', [0, 0, 300, 200], 50, 33],
    ['w=50&fit=crop', [0, 0, 300, 200], 50, 33],
    ['w=100&h=100&fit=crop', [50, 0, 200, 200], 100, 100],
    ['w=100&h=100&fit=crop&crop=focalpoint&fp-x=0&fp-y=0', [0, 0, 200, 200], 100, 100],
    ['w=100&h=100&fit=crop&crop=focalpoint&fp-x=1', [100, 0, 200, 200], 100, 100],
    ['w=100&h=100&fit=crop&crop=focalpoint&fp-x=0.4&fp-z=2', [70, 50, 100, 100], 100, 100],
    ['w=100&h=100&fit=crop&crop=focalpoint&fp-z=100', [149, 99, 2, 2], 2, 2],
    ['w=100&h=100&fit=crop&fp-x=0&fp-z=2', [50, 0, 200, 200], 100, 100],
    ['rect=10,20,100,50', [10, 20, 100, 50], 100, 50],
    ['rect=0.5,0.5,0.25,0.25', [150, 100, 75, 50], 75, 50],
    ['rect=250,150,100,100', [250, 150, 50, 50], 50, 50],
    ['rect=0,0,200,200&w=0.5', [0, 0, 200, 200], 100, 100],
    ['w=50&w=100', [0, 0, 300, 200], 50, 33],
  ];
  for (const [query, window, width, height] of geometry) {
    it(`${query} of 300×200 is ${window.join(',')} at ${width}×${height}`, () => {
      const result = toOracleResult(planOf(query), PHOTO);
      expect(result).to.deep.include({
        left: window[0],
        top: window[1],
        windowWidth: window[2],
        windowHeight: window[3],
        width,
        height,
      });
    });
  }

  for (const query of [
    '',
    'w=0',
    'w=-5',
    'w=NaN',
    'w=1e2',
    'w=8193',
    `w=${'9'.repeat(10_000)}`,
    'W=100',
    'dpr=2',
    'fit=crop',
    'crop=focalpoint&fp-x=0.1',
    'bg=f00',
    'fm=bmp',
    'lossless=1',
    'q=101',
    'auto=format',
    'rect=1,2,3',
    'rect=0,0,0,10',
    'rect=300,0,10,10',
    'w=0.5&h=0.5&fit=crop',
    'rect=0,0,10,10&w=5&h=5&fit=crop&crop=focalpoint',
    'w=x&w=100',
    'unknown=1',
  ]) {
    it(`${query.slice(0, 60) || 'nothing'} leaves a photo as it is`, () => {
      expect(planOf(query)).to.equal('original');
    });
  }

  const outputs: readonly [string, OracleSource, webp: boolean, output: string, animated?: boolean][] = [
    ['w=100', PHOTO, false, 'jpg'],
    ['w=100', ANIMATION, false, 'gif', true],
    ['w=100&fm=png', ANIMATION, false, 'png'],
    ['w=100&fm=webp', ANIMATION, false, 'webp', true],
    ['auto=format', PHOTO, true, 'webp'],
    ['auto=webp', PHOTO, true, 'webp'],
    ['auto=compress,format', PHOTO, true, 'webp'],
    ['auto=format&fm=png', PHOTO, true, 'webp'],
    ['auto=format&fm=png', PHOTO, false, 'png'],
    ['auto=format&fm=webp', PHOTO, false, 'webp'],
    ['auto=format&fm=webp&lossless=1&w=9', DRAWING, false, 'webp-lossless'],
    ['auto=format&fm=webp&lossless=1', DRAWING, true, 'webp-lossless'],
    ['fm=webp&lossless=true', PHOTO, false, 'webp-lossless'],
    ['fm=png&lossless=true', PHOTO, false, 'png'],
    ['bg=f00', DRAWING, false, 'png'],
    ['q=50', PHOTO, false, 'jpg'],
  ];
  for (const [query, source, webp, output, animated = false] of outputs) {
    const to = webp ? 'to a browser that takes WebP' : 'to one that does not';
    it(`${query} of a ${source.format} is ${output} ${to}`, () => {
      expect(toOracleResult(planOf(query, source, webp), source)).to.include({ output, animated });
    });
  }

  it('have one key when they mean the same, and different keys otherwise', () => {
    const key = (query: string) => {
      const plan = planOf(query);
      return plan === 'original' ? plan : planKey(plan);
    };
    for (const same of ['w=0.5', 'fit=clip&w=150&x=1', 'q=85&w=150', 'dpr=2&w=75', 'w=150&h=8192', 'w=150.4'])
      expect(key(same), same).to.equal(key('w=150'));
    const others = [
      'w=150',
      'w=151',
      'w=150&q=84',
      'w=150&fm=pjpg',
      'w=150&fm=png',
      'w=150&fm=png8',
      'w=150&fm=webp',
    ];
    expect(new Set(others.map(key)).size).to.equal(others.length);
  });
});
