import type { Settings } from '../../config/schema.ts';
import { readAuthority } from '../read-authority.ts';
import { type Finding, failedFinding } from './finding.ts';

/** What `doctor` finds out about the cores of a gateway; it only greets them. */
export async function coreFindings({ cores, internalToken, internalTls }: Settings): Promise<Finding[]> {
  const token = internalToken ?? '';
  try {
    const certificateAuthority = await readAuthority('internalTls', internalTls.certificateAuthority);
    return await Promise.all(cores.map((name) => greet(name, { token, certificateAuthority })));
  } catch (error) {
    return [failedFinding('cores', error)];
  }
}

async function greet(
  name: string,
  options: { readonly token: string; readonly certificateAuthority: string | undefined },
): Promise<Finding> {
  const [{ CoreConnection }, { PROTOCOLS }] = await Promise.all([
    import('../../core/remote/client/core-connection.ts'),
    import('../../core/remote/protocol/wire.ts'),
  ]);
  const core = new CoreConnection(name, { ...options, protocols: PROTOCOLS, onChange: () => {} });
  const subject = `core ${name}`;
  try {
    await core.greeted;
    if (core.failure === undefined)
      return { state: 'ok', subject, detail: 'answers, and has the same internalToken' };
    return { state: 'bad', subject, detail: core.failure.message.replace(/\.$/, '') };
  } finally {
    await core.close();
  }
}
