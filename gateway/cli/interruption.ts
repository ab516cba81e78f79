import { StartError } from '../../config/start-error.ts';
import { onStopSignal } from '../signals.ts';
import type { Terminal } from './terminal.ts';

/** @returns a signal that fires on the first SIGINT or SIGTERM of this process; a second one ends it at once */
export function interruption(terminal: Terminal): AbortSignal {
  const controller = new AbortController();
  onStopSignal((signal) => {
    terminal.err('headwater: the command ends after the step that runs; a second signal ends it at once.');
    controller.abort(new StartError(`The command was ended by ${signal}.`));
  });
  return controller.signal;
}
