import { ApiError, BASE, callSession, confirmed, get, isResumed, ownHeaders, refused } from './api.ts';

/**
 * Uploads an archive, with progress. The password is confirmed before, where the server would ask for it after the upload.
 * @param progress receives the part that is uploaded, 0 to 1
 * @throws ApiError
 */
export async function upload<T>(
  path: string,
  file: Blob,
  progress: (part: number) => void,
  signal: AbortSignal,
): Promise<T> {
  const { is_confirmed } = await get<{ readonly is_confirmed: boolean }>('session');
  if (!is_confirmed && !(await confirmed())) throw new ApiError(403, '');
  return sendFile<T>(path, { file, type: 'application/x-tar' }, progress, signal);
}

/**
 * Sends a file, with progress, which `fetch` does not report.
 * @param progress receives the part that is sent, 0 to 1
 * @throws ApiError; the reason of the signal once it has fired
 */
export function sendFile<T>(
  path: string,
  { file, type }: { readonly file: Blob; readonly type: string },
  progress: (part: number) => void,
  signal: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const sent = callSession();
    const request = new XMLHttpRequest();
    request.open('POST', `${BASE}/api/${path}`);
    for (const [name, value] of Object.entries(ownHeaders())) request.setRequestHeader(name, value);
    request.setRequestHeader('content-type', type);
    request.upload.onprogress = ({ loaded, total }) => progress(total === 0 ? 1 : loaded / total);
    request.onerror = () => reject(new ApiError(0, 'unreachable'));
    request.onabort = () => reject(signal.reason);
    request.onload = () => {
      let body: unknown;
      try {
        body = JSON.parse(request.responseText);
      } catch {
        // Not an answer of the service: a proxy's, or a cut one.
        if (request.status < 300) return reject(new ApiError(0, 'truncated'));
      }
      if (request.status >= 200 && request.status < 300) return resolve(body as T);
      if (request.status === 401 && isResumed(sent))
        return resolve(sendFile<T>(path, { file, type }, progress, signal));
      reject(refused(request.status, body, request.getResponseHeader('retry-after')));
    };
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}
