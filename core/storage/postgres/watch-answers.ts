import type { Socket } from 'node:net';

/** Interval at which a statement without an answer is looked at. */
const WATCH_MS = 2000;

/**
 * Ends a session when the server does not work on a statement that has no answer: one of them does not know that the
 * connection is lost. A long statement goes on.
 * @param isWaiting whether a statement has no answer
 * @param isWorking whether the server works on a statement. @throws where that cannot be found out
 * @returns the timer, which ends with the session
 */
export function watchAnswers(
  socket: Socket,
  isWaiting: () => boolean,
  isWorking: () => Promise<boolean>,
  end: (error: Error) => void,
): NodeJS.Timeout {
  let received = 0;
  let silent = 0;
  return setInterval(async () => {
    const isSilent = () => isWaiting() && socket.bytesRead === received;
    silent = isSilent() ? silent + 1 : 0;
    received = socket.bytesRead;
    // A statement may have been sent just now.
    if (silent !== 2) return;
    const works = await isWorking().catch(() => false);
    if (works) silent = 0;
    else if (isSilent()) end(new Error('The server does not work on the statement.'));
  }, WATCH_MS).unref();
}
