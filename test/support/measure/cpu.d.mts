/** CPU time of the main thread so far, in milliseconds. */
export function mainThreadCpu(): number;
