import type { Benchmark } from '../benchmark.ts';
import { contentList } from './content-list.ts';
import { deliveryBeside } from './delivery-beside.ts';
import { eventStreams } from './event-streams.ts';
import { firstLoad } from './first-load.ts';
import { itemEditor } from './item-editor.ts';
import { contentListScroll } from './list-scroll.ts';
import { modelImpact } from './model-impact.ts';
import { otherBrowser } from './other-browser.ts';
import { upsertsWithText } from './upserts-with-text.ts';

export const console: Benchmark = {
  name: 'console',
  about: 'the web application, and what it costs delivery',
  measures: [
    deliveryBeside,
    contentList,
    upsertsWithText,
    contentListScroll,
    modelImpact,
    eventStreams,
    firstLoad,
    itemEditor,
    otherBrowser,
  ],
};
