/**
 * Resolves on the first SIGTERM or SIGINT, when the service is to drain. A second one ends the process at once:
 * who asks twice does not want to wait.
 */
export function stopSignal(exit: (code: number) => void = process.exit): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (asked) exit(1);
        asked = true;
        resolve(signal);
      });
    }
  });
}
