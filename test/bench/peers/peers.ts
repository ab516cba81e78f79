import type { Benchmark } from '../benchmark.ts';
import { inBrowser } from './in-browser.ts';
import { sideBySide } from './side-by-side.ts';

export const peers: Benchmark = {
  name: 'peers',
  about: 'the same 5,000 items in other content services, installed from the package registry, on SQLite',
  measures: [sideBySide, inBrowser],
};
