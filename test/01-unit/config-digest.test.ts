import { expect } from 'chai';
import { configDigest } from '../../config/config-digest.ts';
import { loadConfig } from '../../config/load-config.ts';
import { plugins } from '../../plugins/registry.ts';

const schemas = Object.fromEntries(plugins.map(({ name, settings }) => [name, settings]));
const digestOf = async (environment: Readonly<Record<string, string>> = {}) =>
  configDigest(await loadConfig({ environment }, schemas));

/** Ids of keys. */
const A = 'a0000000-0000-4000-8000-000000000000';
const B = 'b0000000-0000-4000-8000-000000000000';

describe('the digest of a configuration', () => {
  it('is the same for equal settings, whatever the machine, the folders and the secrets', async () => {
    const own = {
      HEADWATER_DATA_DIR: '/srv/one',
      HEADWATER_PORT: '9000',
      HEADWATER_INSTANCE: 'one',
      HEADWATER_ADMIN_TOKEN: 'a-token-for-tests-only-0123456789abcdef',
      HEADWATER_PLUGINS__ACCESS_LOG__FILE: '/var/log/one.log',
    };
    expect(await digestOf(own))
      .to.equal(await digestOf())
      .and.match(/^[0-9a-f]{12}$/);
  });

  it('differs where one setting does, of a plugin too', async () => {
    const digests = await Promise.all([
      digestOf(),
      digestOf({ HEADWATER_LOG_LEVEL: 'warn' }),
      digestOf({ HEADWATER_PLUGINS__RATE_LIMIT__LIMITS__SECOND: '9' }),
      digestOf({ HEADWATER_PLUGINS__RATE_LIMIT__KEYS: `{${A}: {second: 1, minute: 2}}` }),
    ]);
    expect(new Set(digests).size).to.equal(digests.length);
  });

  it('does not depend on the order of the keys of a map', async () => {
    const keys = (text: string) => digestOf({ HEADWATER_PLUGINS__RATE_LIMIT__KEYS: text });
    expect(await keys(`{${A}: {second: 1, minute: 2}, ${B}: {second: 3}}`)).to.equal(
      await keys(`{${B}: {second: 3}, ${A}: {minute: 2, second: 1}}`),
    );
  });
});
