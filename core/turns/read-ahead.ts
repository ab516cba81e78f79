/** The values of a source, each read while the one before it is used. */
export async function* readAhead<Value>(source: AsyncGenerator<Value>): AsyncGenerator<Value> {
  try {
    for (let next = source.next(); ; ) {
      const { done, value } = await next;
      if (done) return;
      next = source.next();
      // Thrown where it is awaited, after what is done with this value.
      next.catch(() => {});
      yield value;
    }
  } finally {
    // Not awaited: a read that is under way may take forever, and its owner ends it.
    source.return(undefined).catch(() => {});
  }
}
