/** A service over a folder of settings that a test may change while it runs. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../config/load-config.ts';
import { schemasOf } from '../../../gateway/cli/configure.ts';
import { loadPlugins } from '../../../gateway/pipeline/load-plugins.ts';
import { startAll } from '../../../gateway/roles/all.ts';
import type { Loaded, Reloaded } from '../../../gateway/roles/reload.ts';
import { plugins as builtIn } from '../../../plugins/registry.ts';
import { writeTables } from '../service/new-installation.ts';
import { freePort, writeCertificate } from './run-gateway.ts';

export interface ReloadableService {
  readonly url: string;
  /** The operator's folder. */
  readonly folder: string;
  write(file: string, text: string): Promise<void>;
  remove(file: string): Promise<void>;
  reload(): Promise<Reloaded>;
  end(): Promise<void>;
}

export async function reloadableService(): Promise<ReloadableService> {
  const folder = await mkdtemp(join(tmpdir(), 'headwater-reload-'));
  const dataDir = join(folder, 'data');
  await mkdir(join(folder, 'plugins'));
  await writeTables(dataDir);
  await writeCertificate(dataDir);
  const environment = {
    HEADWATER_DATA_DIR: dataDir,
    HEADWATER_LOG_LEVEL: 'silent',
    HEADWATER_PLUGINS__METRICS__PROCESS: 'false',
  };
  const flags = [
    { name: '--port', path: 'port', text: '0' },
    { name: '--tls-port', path: 'tlsPort', text: String(await freePort()) },
  ];
  const load = async (): Promise<Loaded> => {
    let plugins = builtIn;
    const config = await loadConfig({ folder, environment, flags }, async (own, reject) => {
      plugins = [...builtIn, ...(await loadPlugins(own, reject))];
      return schemasOf(plugins);
    });
    return { config, plugins };
  };
  await writeFile(join(folder, 'plugins/access-log.yaml'), 'file: ../access.log\n');
  const service = await startAll(await load());
  return {
    url: service.urls.http,
    folder,
    write: (file, text) => writeFile(join(folder, file), text),
    remove: (file) => rm(join(folder, file), { force: true }),
    reload: () => service.reload(load),
    async end() {
      await service.close();
      await rm(folder, { recursive: true });
    },
  };
}
