import { GATEWAY_ROLES } from '../../config/role-settings.ts';
import type { Settings } from '../../config/schema.ts';
import { reachableHost } from '../../config/url-host.ts';
import type { Call } from './command.ts';
import { configure } from './configure.ts';

/** Stands for the address of a gateway on another machine. */
const SOME_GATEWAY = 'http://127.0.0.1:8080';

/** The page of a sign-in link. The secret is in the fragment, which no server and no log gets. */
export async function signInUrl(call: Call, token: string): Promise<string> {
  // In a running service, the options of a command are those of another folder, and its environment is not known.
  const url = call.service
    ? call.service.consoleUrl?.()
    : consoleUrlOf((await configure(call)).config.settings);
  if (url === undefined)
    call.terminal.err(
      `This machine does not serve the console: put the address of a gateway in the place of ${SOME_GATEWAY}, or set surfaces.console.publicUrl.`,
    );
  return `${url ?? `${SOME_GATEWAY}/console`}/sign-in#token=${token}`;
}

function consoleUrlOf({ role, host, port, surfaces }: Settings): string | undefined {
  const { publicUrl, prefix } = surfaces.console;
  if (publicUrl !== null) return publicUrl;
  return GATEWAY_ROLES.includes(role) ? `http://${reachableHost(host)}:${port}${prefix}` : undefined;
}
