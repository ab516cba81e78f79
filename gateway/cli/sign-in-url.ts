import { GATEWAY_ROLES } from '../../config/role-settings.ts';
import { reachableHost } from '../../config/url-host.ts';
import type { Call } from './command.ts';
import { configure } from './configure.ts';

/** The page of a sign-in link. The secret is in the fragment, which no server and no log gets. */
export async function signInUrl(call: Call, token: string): Promise<string> {
  const { host, port, surfaces, role } = (await configure(call)).config.settings;
  const { publicUrl, prefix } = surfaces.console;
  const own = `http://${reachableHost(host)}:${port}`;
  const known = publicUrl ?? call.service?.consoleUrl;
  if (known === undefined && !(GATEWAY_ROLES as readonly string[]).includes(role))
    call.terminal.err(
      `This machine does not serve the console: put the address of a gateway in the place of ${own}, or set surfaces.console.publicUrl.`,
    );
  return `${known ?? `${own}${prefix}`}/sign-in#token=${token}`;
}
