import { StartError } from '../../../config/start-error.ts';
import { decodedPart } from '../../../config/url-part.ts';
import { codeOf, isLost } from './database-error.ts';
import { urlsOf } from './urls-of.ts';

export interface Target {
  /** Host, port and database, for messages; without a secret. */
  readonly name: string;
  readonly user: string;
  /** The URL has several addresses. */
  readonly isSeveral: boolean;
  readonly database: string;
  /** Of certificates and keys, which the URL names. */
  readonly files: readonly string[];
}

const FILES = ['sslrootcert', 'sslcert', 'sslkey'];

/** @throws StartError; its message does not repeat the URL, which has a password */
export function targetOf(url: string): Target {
  const targets = urlsOf(url).map(targetAt);
  const [first] = targets;
  if (!first) throw new Error('A URL has at least one host.');
  const hosts = targets.map(({ host }) => host).join(', ');
  return { ...first, isSeveral: targets.length > 1, name: `The database ${first.database} at ${hosts}` };
}

/** Host and port of a URL with one host. */
export function addressOf(url: string): string {
  return targetAt(url).host;
}

function targetAt(url: string): Omit<Target, 'name' | 'isSeveral'> & { readonly host: string } {
  const wrong = (what: string) =>
    new StartError(
      `The URL of the database ${what}; it has the form postgres://user:password@host:5432/database.`,
    );
  let parsed: URL;
  try {
    // A Unix socket is given as a parameter, or as an escaped host.
    parsed = new URL(url.replace('@/', '@socket/'));
  } catch {
    throw wrong('is not valid');
  }
  if (!/^postgres(?:ql)?:$/.test(parsed.protocol)) throw wrong('does not begin with postgres://');
  const host = parsed.searchParams.get('host') ?? decodedPart(parsed.hostname);
  const database = decodedPart(parsed.pathname.slice(1));
  if (host === '') throw wrong('has no host');
  if (database === '') throw wrong('has no database');
  const port = parsed.searchParams.get('port') ?? (parsed.port || '5432');
  const files = FILES.flatMap((name) => parsed.searchParams.get(name) || []);
  return { host: `${host}:${port}`, user: decodedPart(parsed.username), database, files };
}

const CERTIFICATE = /^(?:.*CERT.*|UNABLE_TO_VERIFY_LEAF_SIGNATURE|ERR_SSL_.*|ERR_TLS_.*|EPROTO)$/;

/** @returns a failed start as one sentence for the operator */
export function startError(error: unknown, { name, user, isSeveral }: Target): unknown {
  if (error instanceof StartError) return error;
  const sentence = (text: string) => new StartError(`${name} ${text}`, { cause: error });
  const code = codeOf(error);
  const { message, syscall, path } = error as NodeJS.ErrnoException;
  if (syscall === 'open')
    return new StartError(`The certificate file ${path} of the database's URL cannot be read.`, {
      cause: error,
    });
  switch (code) {
    case '28P01':
      return sentence(`refused the password of the user ${user}.`);
    case '28000':
      return sentence(`does not accept the user ${user} from here; check the role and pg_hba.conf.`);
    case '3D000':
      return sentence('does not exist; create it.');
    case '42501':
      return sentence(`does not let the user ${user} create tables; make that user its owner.`);
    case '25006':
      return sentence(
        isSeveral
          ? 'has no server that accepts writes; promote one, or add the address of the primary.'
          : 'is a standby, which accepts no writes; give the address of the primary.',
      );
    case '3F000':
      return sentence(`has no schema that the search_path of the user ${user} names; create one.`);
    case '55P03':
    case '40P01':
      return sentence('is in use by others, who hold a lock on its tables: try again.');
    case '53300':
      return sentence('has no connections left; raise max_connections.');
    case '53100':
      return sentence('is on a full disk.');
    case '08P01':
      return sentence('is behind a pooler that Headwater cannot use; connect to PostgreSQL directly.');
  }
  if (CERTIFICATE.test(code))
    return sentence(
      `has a certificate that is not trusted (${code}): it must be for the host of the URL, and by an authority that Node trusts or whose file sslrootcert names there.`,
    );
  if (/does not support SSL/.test(message))
    return sentence(
      'does not support TLS, which sslmode asks for: turn it on there, or give sslmode=disable.',
    );
  if (/password must be a string|no password/i.test(message))
    return sentence('wants a password; add it to the URL.');
  if (isLost(error) || /timeout/i.test(message))
    return sentence(`does not answer${code ? ` (${code})` : ''}; check its address and that it runs.`);
  return error;
}
