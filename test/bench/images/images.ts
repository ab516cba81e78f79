import type { Benchmark } from '../benchmark.ts';
import { cold } from './cold.ts';
import { hot } from './hot.ts';
import { large } from './large.ts';
import { memory } from './memory.ts';
import { oneDecode } from './one-decode.ts';
import { overload } from './overload.ts';
import { srcset } from './srcset.ts';
import { storm } from './storm.ts';

export const images: Benchmark = {
  name: 'images',
  about: 'images over HTTP through the whole default pipeline, made in the worker tier',
  measures: [cold, large, srcset, hot, oneDecode, storm, overload, memory],
};
