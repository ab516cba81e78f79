import type { Message } from './child.ts';

/** The other end of `startChild`: answers each question, and leaves when the parent is gone. */
export function answerParent<Question, Reply>(
  answer: (question: Question, progress: (text: string) => void) => Promise<Reply>,
): void {
  const send = (message: Message<Reply>) => process.send?.(message);
  process.on('message', (question) => {
    answer(question as Question, (progress) => send({ progress })).then(
      (reply) => send({ reply }),
      (error: unknown) =>
        send({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
}
