/** The part of `AbortSignal` that core uses. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  throwIfAborted(): void;
}
