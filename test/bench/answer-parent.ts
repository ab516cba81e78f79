import type { Message } from './child.ts';

/** The other end of `startChild`: answers each request, and exits when the parent has ended. */
export function answerParent<Request, Reply>(
  answer: (request: Request, progress: (text: string) => void) => Promise<Reply>,
): void {
  const send = (message: Message<Reply>) => process.send?.(message);
  process.on('message', (request) => {
    answer(request as Request, (progress) => send({ progress })).then(
      (reply) => send({ reply }),
      (error: unknown) =>
        send({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
}
