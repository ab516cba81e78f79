/** Scheme and user; hosts; the rest. */
const PARTS = /^([a-z]+:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/s;

/** One URL for each host of a URL, in which commas separate them. */
export function urlsOf(url: string): string[] {
  const [, before, hosts = '', after] = PARTS.exec(url) ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => `${before}${host}${after}`) : [url];
}
