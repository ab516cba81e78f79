import { parseFilesUrl } from '../../config/files-settings.ts';
import type { Settings } from '../../config/schema.ts';
import type { CoreOptions } from '../../core/compose/core-options.ts';

/** The bucket of the asset files; null where they are in a folder. */
export function filesBucket({ filesUrl, files }: Settings): NonNullable<CoreOptions['filesBucket']> | null {
  const address = filesUrl === null ? undefined : parseFilesUrl(filesUrl);
  if (address === undefined) return null;
  const { accessKeyId, secretAccessKey, cacheBytes } = files;
  return {
    ...address,
    credentials:
      accessKeyId !== null && secretAccessKey !== null ? { accessKeyId, secretAccessKey } : undefined,
    cacheBytes,
  };
}
