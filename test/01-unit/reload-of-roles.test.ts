import { expect } from 'chai';
import { liveConfig } from '../../config/live-settings.ts';
import { loadConfig } from '../../config/load-config.ts';

const NEEDED = { HEADWATER_INTERNAL_TOKEN: 'a'.repeat(32), HEADWATER_CORES: '127.0.0.1:8091' };

const changesOf = async (role: string) => {
  const load = (environment: Readonly<Record<string, string>> = {}) =>
    loadConfig({ environment: { HEADWATER_ROLE: role, ...NEEDED, ...environment } }, {});
  const next = await load({
    HEADWATER_WEBHOOKS__PARALLEL: '9',
    HEADWATER_GATEWAY__PROCESSES: '2',
    HEADWATER_ALLOWED_HOSTS: 'content.example.org',
  });
  const { changed, waiting } = liveConfig(await load(), next);
  return { changed, waiting: waiting.map(({ path }) => path) };
};

describe('a reload of files that processes of several roles share', () => {
  it('names the settings that the role of the process uses, and no others', async () => {
    expect(await changesOf('core')).to.deep.equal({ changed: [], waiting: ['webhooks.parallel'] });
    expect(await changesOf('gateway')).to.deep.equal({
      changed: ['allowedHosts'],
      waiting: ['gateway.processes'],
    });
  });
});
