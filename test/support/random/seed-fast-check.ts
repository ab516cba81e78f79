/** Mocha loads this before the tests: fast-check uses the seed of all other randomised tests. */
import fc from 'fast-check';
import { testSeed } from './test-seed.ts';

fc.configureGlobal({ seed: testSeed() });
