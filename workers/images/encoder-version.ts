import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Goes up when a step gives other pixels or other bytes for the same plan than before. */
const STEPS = 2;

/**
 * Everything that decides about the bytes of a result beside the picture and the plan: for cache keys, and held
 * against each other when a host is greeted. Read from package files, because loading the library takes 60 ms and
 * 30 MB that the process which only asks does not need to spend.
 */
export const ENCODER_VERSION = encoderVersion();

function encoderVersion(): string {
  const entry = createRequire(import.meta.url).resolve('sharp');
  // The package does not export its own description.
  const description = readFileSync(join(dirname(dirname(entry)), 'package.json'), 'utf8');
  const { version } = JSON.parse(description) as { readonly version: string };
  return `steps ${STEPS}, sharp ${version}, ${bundledVips(createRequire(entry))}`;
}

/** The library's binaries name what they are made of; one compiled against a libvips of the system has none. */
function bundledVips(require: NodeJS.Require): string {
  const { platform, arch } = process;
  // The one that is installed tells which C library this is. Windows has it all in the second kind of package.
  const candidates = platform === 'linux' ? [`linux-${arch}`, `linuxmusl-${arch}`] : [`${platform}-${arch}`];
  for (const name of candidates) {
    for (const kind of [`@img/sharp-libvips-${name}`, `@img/sharp-${name}`]) {
      try {
        return `libvips ${(require(`${kind}/versions`) as { readonly vips: string }).vips}, ${name}`;
      } catch {
        // Not the one.
      }
    }
  }
  return `libvips of the system, ${platform}-${arch}`;
}
