import type { Benchmark } from '../benchmark.ts';
import { cold } from './cold.ts';

export const images: Benchmark = {
  name: 'images',
  about: 'pictures over HTTP through the whole default pipeline, made in the worker tier',
  measures: [cold],
};
