/**
 * Does not stop work that takes longer.
 *
 * @throws what the work throws, or an Error (`it was not ready within 30 s`)
 */
export async function withTimeout<T>(milliseconds: number, work: Promise<T> | T, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} within ${milliseconds / 1000} s`)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
