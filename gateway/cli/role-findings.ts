import { lookup } from 'node:dns/promises';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseCoreAddress } from '../../config/core-address.ts';
import type { Settings } from '../../config/schema.ts';
import type { Finding } from './finding.ts';

/** What `check` finds out about the surroundings of a role without a connection to another process. */
export async function roleFindings(settings: Settings): Promise<Finding[]> {
  if (settings.role === 'gateway') return gatewayFindings(settings);
  if (settings.role === 'core') return [listenFinding(settings.listen)];
  return [];
}

async function gatewayFindings({ cores, internalToken, gateway }: Settings): Promise<Finding[]> {
  const { processes } = gateway;
  return [
    { state: 'ok', subject: 'gateway', detail: `${processes} process${processes === 1 ? '' : 'es'}` },
    ...(await Promise.all(cores.map(coreFinding))),
    {
      state: internalToken === null ? 'bad' : 'ok',
      subject: 'not checked',
      detail: 'whether the cores answer, and whether their internal token is the same',
    },
  ];
}

async function coreFinding(text: string): Promise<Finding> {
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

function listenFinding(listen: string): Finding {
  const address = parseCoreAddress(listen);
  const subject = `listen ${listen}`;
  if (address?.kind === 'unix' && !existsSync(dirname(address.path)))
    return { state: 'bad', subject, detail: `there is no folder ${dirname(address.path)}` };
  return { state: 'ok', subject, detail: 'not checked: whether the address is free' };
}
