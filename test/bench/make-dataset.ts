/** Fills a data folder through the product's own generator, in a process of its own. */
import type * as CreateCore from '../../core/create-core.ts';
import type * as Generate from '../../core/generate/generate.ts';
import { answerParent } from './answer-parent.ts';
import { built } from './built.ts';

export interface DatasetOrder {
  readonly folder: string;
  readonly items: number;
  readonly languages: number;
}

export interface DatasetReply {
  readonly project: string;
  readonly seconds: number;
}

const PROGRESS_MS = 5000;
const silent = { info() {}, warn() {}, error: (_fields: object, text: string) => console.error(text) };

answerParent(async ({ folder, items, languages }: DatasetOrder, tell): Promise<DatasetReply> => {
  const { createCore } = await built<typeof CreateCore>('core/create-core');
  const { generate } = await built<typeof Generate>('core/generate/generate');
  const vendor = { header: ['SVC'], mediaType: 'service' };
  const core = await createCore({ dataDir: folder, vendor, log: silent });
  try {
    const started = performance.now();
    let told = started;
    const { project } = await generate(core.operations, {
      items,
      languages,
      progress(done, total) {
        const now = performance.now();
        if (now - told < PROGRESS_MS) return;
        told = now;
        tell(`  ${done} of ${total} items, ${Math.round((done / (now - started)) * 1000)} a second`);
      },
    });
    return { project, seconds: (performance.now() - started) / 1000 };
  } finally {
    await core.close();
  }
});
