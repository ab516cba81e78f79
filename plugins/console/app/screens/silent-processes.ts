interface Named {
  readonly instance: string;
}

/** Names of the processes that run and sent no report: what may be wrong is there. Undefined as long as something is not read. */
export function silentProcesses(
  running: readonly Named[] | undefined,
  ...reports: readonly (readonly Named[] | undefined)[]
): readonly string[] | undefined {
  if (running === undefined || reports.includes(undefined)) return undefined;
  const reported = new Set(reports.flatMap((some) => some ?? []).map(({ instance }) => instance));
  return running.flatMap(({ instance }) => (reported.has(instance) ? [] : [instance]));
}
