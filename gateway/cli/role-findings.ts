import { lookup } from 'node:dns/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseCoreAddress } from '../../config/core-address.ts';
import type { Settings } from '../../config/schema.ts';
import type { Finding } from './finding.ts';

/** What `check` finds out about the surroundings of a role; it connects to no other process. */
export async function roleFindings(settings: Settings): Promise<Finding[]> {
  if (settings.role === 'gateway') return gatewayFindings(settings);
  if (settings.role === 'core') return coreFindings(settings);
  return [];
}

async function gatewayFindings({ cores, gateway }: Settings): Promise<Finding[]> {
  const { processes } = gateway;
  return [
    { state: 'ok', subject: 'gateway', detail: `${processes} process${processes === 1 ? '' : 'es'}` },
    ...(await Promise.all(cores.map(addressOfCore))),
    notChecked('whether the cores answer, and whether they have the same internalToken'),
  ];
}

function coreFindings({ listen, dataDir, filesDir }: Settings): Finding[] {
  const files = filesDir ?? join(dataDir, 'files');
  const detail = existsSync(files) ? files : `${files} does not exist yet; the first start makes it`;
  return [
    addressOfListener(listen),
    { state: 'ok', subject: 'asset files', detail },
    notChecked('whether the address is free, the data folder, and the admin token in its database'),
  ];
}

function notChecked(detail: string): Finding {
  return { state: 'ok', subject: 'not checked', detail };
}

async function addressOfCore(text: string): Promise<Finding> {
  const subject = `core ${text}`;
  const address = parseCoreAddress(text);
  if (address?.kind !== 'tcp') {
    const path = address?.path ?? text;
    if (existsSync(path)) return { state: 'ok', subject, detail: 'the socket exists' };
    if (existsSync(dirname(path)))
      return { state: 'ok', subject, detail: 'its core does not run at present' };
    return { state: 'bad', subject, detail: `there is no folder ${dirname(path)}` };
  }
  try {
    const found = await lookup(address.host, { all: true });
    const addresses = found.map((one) => one.address).join(', ');
    return {
      state: 'ok',
      subject,
      detail: `${addresses}, port ${address.port}${address.tls ? ', TLS' : ''}`,
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { state: 'bad', subject, detail: `the name ${address.host} cannot be resolved (${code})` };
  }
}

function addressOfListener(listen: string): Finding {
  const address = parseCoreAddress(listen);
  const subject = 'listen';
  if (address?.kind === 'unix' && !existsSync(dirname(address.path)))
    return { state: 'bad', subject, detail: `there is no folder ${dirname(address.path)}` };
  return { state: 'ok', subject, detail: listen };
}
