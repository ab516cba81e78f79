import type { Benchmark } from '../benchmark.ts';
import { contentList } from './content-list.ts';
import { deliveryBeside } from './delivery-beside.ts';
import { eventStreams } from './event-streams.ts';
import { otherBrowser } from './other-browser.ts';

export const console: Benchmark = {
  name: 'console',
  about: 'the web application, and what it costs delivery',
  measures: [deliveryBeside, contentList, eventStreams, otherBrowser],
};
