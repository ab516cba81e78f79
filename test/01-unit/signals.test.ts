import { expect } from 'chai';
import { listenForSignals } from '../../gateway/signals.ts';

describe('the signals of the service', () => {
  const NAMES = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  let before: ReadonlySet<unknown>;

  beforeEach(() => {
    before = new Set(NAMES.flatMap((name) => process.listeners(name)));
  });
  afterEach(() => {
    for (const name of NAMES)
      for (const listener of process.listeners(name))
        if (!before.has(listener)) process.removeListener(name, listener as NodeJS.SignalsListener);
  });

  it('lose no SIGHUP of the time before the service can reload', () => {
    const { onReload } = listenForSignals();
    let reloads = 0;
    onReload(() => {
      reloads += 1;
    });
    expect(reloads).to.equal(0);
    process.emit('SIGHUP');
    expect(reloads).to.equal(1);

    const starting = listenForSignals();
    process.emit('SIGHUP');
    process.emit('SIGHUP');
    starting.onReload(() => {
      reloads += 10;
    });
    expect(reloads).to.equal(13);
  });
});
