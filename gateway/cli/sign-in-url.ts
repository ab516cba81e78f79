import type { Call } from './command.ts';
import { configure } from './configure.ts';

/** The page of a sign-in link. The secret is in the fragment, which no server and no log gets. */
export async function signInUrl(call: Call, token: string): Promise<string> {
  const { host, port, surfaces } = (await configure(call)).config.settings;
  const { publicUrl, prefix } = surfaces.console;
  const base = publicUrl ?? call.service?.consoleUrl ?? `http://${host}:${port}${prefix}`;
  return `${base}/sign-in#token=${token}`;
}
