import { setFlagsFromString } from 'node:v8';

/**
 * Lets the heap of a gateway grow to four times its size until the next full collection. V8 counts bodies on their way as
 * growth, although it frees them between full collections; by default it made one for each 100 answers of 80 KB, and a page
 * took 1.4 times the CPU. To be called after the start, whose garbage would stay.
 */
export function relaxHeapLimit(): void {
  setFlagsFromString('--heap-growing-percent=300');
}
