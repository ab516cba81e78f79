import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Raised when a step gives other pixels or bytes for the same plan. */
const STEPS = 4;

/**
 * Everything besides image and plan that determines the bytes of a result: part of cache keys, and compared when a
 * host connects. Read from package files, because loading the library takes 60 ms and 30 MB, which the calling
 * process does not need to spend.
 */
export const ENCODER_VERSION = encoderVersion();

function encoderVersion(): string {
  const entry = createRequire(import.meta.url).resolve('sharp');
  // The package does not export its package.json.
  const description = readFileSync(join(dirname(dirname(entry)), 'package.json'), 'utf8');
  const { version } = JSON.parse(description) as { readonly version: string };
  return `steps ${STEPS}, sharp ${version}, ${bundledVips(createRequire(entry))}`;
}

/** The binary packages name their libvips version; a build against the system's libvips has none. */
function bundledVips(require: NodeJS.Require): string {
  const { platform, arch } = process;
  // The installed package shows the C library in use. On Windows the second kind of package holds everything.
  const candidates = platform === 'linux' ? [`linux-${arch}`, `linuxmusl-${arch}`] : [`${platform}-${arch}`];
  for (const name of candidates) {
    for (const kind of [`@img/sharp-libvips-${name}`, `@img/sharp-${name}`]) {
      try {
        return `libvips ${(require(`${kind}/versions`) as { readonly vips: string }).vips}, ${name}`;
      } catch {
        // Not installed; try the next.
      }
    }
  }
  return `libvips of the system, ${platform}-${arch}`;
}
