import type { Bench, Figure } from '../benchmark.ts';
import type { Datasets } from '../datasets.ts';
import { startDirectus } from './directus.ts';
import { startOurs } from './ours.ts';
import { startPayload } from './payload.ts';
import type { Product } from './product.ts';
import { startStrapi } from './strapi.ts';

const OTHERS: Readonly<Record<string, (datasets: Datasets) => Promise<Product>>> = {
  Directus: startDirectus,
  Payload: startPayload,
  Strapi: startStrapi,
};

export interface Products {
  /** Ours is the first. */
  readonly products: readonly Product[];
  /** How many others run, and which do not. */
  readonly figure: Figure;
}

/** Starts ours and all others that can be installed and started here. */
export async function startProducts({ datasets, progress }: Bench): Promise<Products> {
  const products = [await startOurs(datasets)];
  const absent: string[] = [];
  for (const [name, start] of Object.entries(OTHERS))
    try {
      products.push(await start(datasets));
    } catch (error) {
      absent.push(name);
      progress(`  ${name} is not measured: ${(error as Error).message}`);
    }
  return {
    products,
    figure: {
      name: `others that run here${absent.length > 0 ? `, without ${absent.join(', ')}` : ''}`,
      value: products.length - 1,
      unit: 'servers',
    },
  };
}
