/** Where a core answers gateways: `host:port`, `https://host:port`, `unix:/path`, or a DNS name. */
export type CoreAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | {
      readonly kind: 'tcp';
      /** A name or an IP address, IPv6 without brackets. */
      readonly host: string;
      readonly port: number;
      readonly tls: boolean;
      /** The address is a DNS name alone: each of its addresses is a core. */
      readonly every: boolean;
    };

/** Port of `listen`, and of a core that is given by its name only. */
export const CORE_PORT = 8091;

/** Systems keep socket paths shorter than this (Linux: 107 bytes, macOS: 103). */
export const LONGEST_SOCKET_PATH = 100;

const HOST = String.raw`(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?\.?|\[[0-9A-Fa-f:.]+\])`;
const TCP = new RegExp(`^(https://)?(${HOST})(?::(\\d{1,5}))?$`);

/** Undefined where the text is no address of a core. */
export function parseCoreAddress(text: string): CoreAddress | undefined {
  if (text.startsWith('unix:')) {
    const path = text.slice('unix:'.length);
    const isPath = path.startsWith('/') && Buffer.byteLength(path) <= LONGEST_SOCKET_PATH;
    return isPath ? { kind: 'unix', path } : undefined;
  }
  const [, scheme, name, digits] = TCP.exec(text) ?? [];
  if (name === undefined) return undefined;
  const every = digits === undefined;
  const isAddress = name.startsWith('[') || /^[\d.]+$/.test(name);
  const port = every ? CORE_PORT : Number(digits);
  if (port > 65_535 || (every && (isAddress || scheme !== undefined))) return undefined;
  return { kind: 'tcp', host: name.replace(/^\[|\]$/g, ''), port, tls: scheme !== undefined, every };
}
