export const LATE = Symbol('late');

/** What the promise resolves to within the time; `LATE` where it takes longer. */
export async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T | typeof LATE> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, milliseconds), LATE);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
