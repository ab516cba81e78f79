import type { Metrics } from '../contract.ts';

/** Between two measurements, in milliseconds: 50 wake-ups a second take 0.1 % of a core. */
const INTERVAL = 20;

/** In seconds. No request may hold the main thread for more than 50 ms. */
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/**
 * How late timers are: the main thread was busy for that long. A histogram, because it can be
 * added up over processes and read by several scrapers, which gauges that begin anew at each scrape cannot.
 * @returns ends it
 */
export function watchEventLoop(metrics: Metrics): () => void {
  const delays = metrics.histogram('event_loop_delay_seconds', 'Delay of timers of the event loop.', {
    labels: [],
    buckets: BUCKETS,
  });
  let due = performance.now() + INTERVAL;
  const timer = setInterval(() => {
    const now = performance.now();
    delays.observe(Math.max(0, now - due) / 1000);
    due = now + INTERVAL;
  }, INTERVAL).unref();
  return () => clearInterval(timer);
}
