import type { ComponentChildren } from 'preact';
import { messages } from '../messages/messages.ts';
import { Failure } from './failure.tsx';
import type { TaggedObject } from './use-tagged.ts';

interface EditedProps<T> {
  readonly object: TaggedObject<T>;
  /** A new object: there is nothing to read. */
  readonly isNew: boolean;
  readonly children: ComponentChildren;
}

/** The form of an object once it has been read; another form for each state that is shown. */
export function Edited<T>({ object, isNew, children }: EditedProps<T>) {
  if (object.failure !== undefined)
    return <Failure error={object.failure} onRetry={() => void object.reload()} />;
  if (!isNew && object.value === undefined) return <p class="loading">{messages().loading}</p>;
  return <div key={object.key}>{children}</div>;
}
