import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Goes up when a step gives other pixels or other bytes for the same plan than before. */
const STEPS = 1;

/**
 * Everything that decides about the bytes of a result beside the picture and the plan: for cache keys, and held
 * against each other when a host is greeted. Read from package files, because loading the library takes 60 ms and
 * 30 MB that the process which only asks does not need to spend.
 */
export const ENCODER_VERSION = encoderVersion();

function encoderVersion(): string {
  const entry = createRequire(import.meta.url).resolve('sharp');
  const libc = process.platform === 'linux' && isMusl() ? 'linuxmusl' : process.platform;
  const platform = `${libc}-${process.arch}`;
  // The package does not export its own description.
  const description = readFileSync(join(dirname(dirname(entry)), 'package.json'), 'utf8');
  const { version } = JSON.parse(description) as { readonly version: string };
  const libvips = bundledVips(createRequire(entry), platform);
  return `steps ${STEPS}, sharp ${version}, libvips ${libvips}, ${platform}`;
}

/** The library's binaries name what they are made of; one compiled against a libvips of the system has none. */
function bundledVips(require: NodeJS.Require, platform: string): string {
  for (const name of [`@img/sharp-libvips-${platform}`, `@img/sharp-${platform}`]) {
    try {
      return (require(`${name}/versions`) as { readonly vips: string }).vips;
    } catch {
      // Windows has them in the second package, a system's own libvips in neither.
    }
  }
  return 'of the system';
}

function isMusl(): boolean {
  const { header } = process.report.getReport() as { readonly header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined;
}
