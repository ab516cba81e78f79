/** What one end of a channel may call on the other: input and output by name. */
export type Calls = Readonly<Record<string, { readonly input: unknown; readonly output: unknown }>>;

/** The functions that an end offers. */
export type Handlers<Offered extends Calls> = {
  readonly [Name in keyof Offered]: (
    input: Offered[Name]['input'],
  ) => Offered[Name]['output'] | Promise<Offered[Name]['output']>;
};

export interface Channel<Remote extends Calls> {
  /** @throws Error with the message of the other end, or where it does not answer in time or has ended */
  call<Name extends keyof Remote & string>(
    name: Name,
    input: Remote[Name]['input'],
    milliseconds: number,
  ): Promise<Remote[Name]['output']>;
  /** Calls without waiting for an answer. */
  notify<Name extends keyof Remote & string>(name: Name, input: Remote[Name]['input']): void;
  /** Fails all calls; for when the other end has ended. */
  close(): void;
}

/** The part of `process` and `ChildProcess` that carries messages. */
interface Port {
  readonly connected: boolean;
  send?(message: Message, sent: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: Message) => void): unknown;
}

type Message =
  | { readonly call: string; readonly input: unknown; readonly number: number | undefined }
  | { readonly answerTo: number; readonly value?: unknown; readonly error?: string };

interface Pending {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** Calls between two processes over the messages that Node passes between parent and child. */
export function openChannel<Remote extends Calls, Offered extends Calls>(
  port: Port,
  handlers: Handlers<Offered>,
): Channel<Remote> {
  const pending = new Map<number, Pending>();
  let last = 0;
  let isClosed = false;

  // A process that ends meanwhile fails the calls to it by `close`.
  const send = (message: Message) => {
    if (port.connected) port.send?.(message, () => {});
  };

  async function answer(name: string, input: unknown, number: number | undefined): Promise<void> {
    try {
      const value = await handlers[name as keyof Offered](input as never);
      if (number !== undefined) send({ answerTo: number, value });
    } catch (error) {
      if (number !== undefined) send({ answerTo: number, error: (error as Error).message });
    }
  }

  port.on('message', (message) => {
    if ('call' in message) {
      void answer(message.call, message.input, message.number);
      return;
    }
    const waiting = pending.get(message.answerTo);
    pending.delete(message.answerTo);
    if (message.error === undefined) waiting?.resolve(message.value as never);
    else waiting?.reject(new Error(message.error));
  });

  return {
    call(name, input, milliseconds) {
      if (isClosed || !port.connected) return Promise.reject(new Error('The process has ended.'));
      const number = ++last;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          pending.delete(number);
          reject(new Error(`The process did not answer within ${milliseconds} ms.`));
        }, milliseconds);
        const settled =
          <Value>(settle: (value: Value) => void) =>
          (value: Value) => {
            clearTimeout(timer);
            settle(value);
          };
        pending.set(number, { resolve: settled(resolve), reject: settled(reject) });
        send({ call: name, input, number });
      });
    },
    notify: (name, input) => send({ call: name, input, number: undefined }),
    close() {
      isClosed = true;
      for (const { reject } of pending.values()) reject(new Error('The process has ended.'));
      pending.clear();
    },
  };
}
