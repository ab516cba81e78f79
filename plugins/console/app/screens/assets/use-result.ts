import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** What the service made of an image. */
export interface Result {
  /** Of the bytes that were read, for an `img`. */
  readonly source: string;
  readonly bytes: number;
  /** Media type. */
  readonly type: string;
  readonly width: number;
  readonly height: number;
}

/** Pause after a change before the image is asked for, ms. */
const CHANGED = 250;

/**
 * Reads the image at a URL. The result before stays until the next one is there.
 * `isFailed`: the bytes cannot be read from here, as from another origin.
 */
export function useResult(url: string) {
  const result = useSignal<Result | undefined>(undefined);
  const isFailed = useSignal(false);
  const isReading = useSignal(true);
  useEffect(() => {
    const ending = new AbortController();
    isReading.value = true;
    const timer = setTimeout(async () => {
      try {
        const read = await readResult(url, ending.signal);
        if (ending.signal.aborted) return URL.revokeObjectURL(read.source);
        if (result.value) URL.revokeObjectURL(result.value.source);
        result.value = read;
        isFailed.value = false;
      } catch {
        if (ending.signal.aborted) return;
        isFailed.value = true;
      }
      isReading.value = false;
    }, CHANGED);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [url]);
  useEffect(
    () => () => {
      if (result.value) URL.revokeObjectURL(result.value.source);
    },
    [],
  );
  return { result, isFailed, isReading };
}

async function readResult(url: string, signal: AbortSignal): Promise<Result> {
  // What browsers ask for where they load an image.
  const headers = { accept: 'image/avif,image/webp,image/*,*/*;q=0.8' };
  const response = await fetch(url, { signal, headers, credentials: 'omit' });
  if (!response.ok) throw new Error(`The answer has the status ${response.status}.`);
  const blob = await response.blob();
  const bitmap = await createImageBitmap(blob);
  const { width, height } = bitmap;
  bitmap.close();
  return { source: URL.createObjectURL(blob), bytes: blob.size, type: blob.type, width, height };
}
