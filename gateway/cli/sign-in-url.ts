import { GATEWAY_ROLES } from '../../config/role-settings.ts';
import { reachableHost } from '../../config/url-host.ts';
import type { Call } from './command.ts';
import { configure } from './configure.ts';

/** The page of a sign-in link. The secret is in the fragment, which no server and no log gets. */
export async function signInUrl(call: Call, token: string): Promise<string> {
  const { host, port, surfaces, role: ownRole } = (await configure(call)).config.settings;
  const { publicUrl, prefix } = surfaces.console;
  const own = `http://${reachableHost(host)}:${port}`;
  // A command in a running service has no environment, so what it reads may not be the settings of the service.
  const { role, consoleUrl } = call.service ?? { role: ownRole, consoleUrl: publicUrl ?? undefined };
  if (consoleUrl === undefined && !(GATEWAY_ROLES as readonly string[]).includes(role))
    call.terminal.err(
      `This machine does not serve the console: put the address of a gateway in the place of ${own}, or set surfaces.console.publicUrl.`,
    );
  return `${consoleUrl ?? `${own}${prefix}`}/sign-in#token=${token}`;
}
