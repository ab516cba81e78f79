import type { ElementForm } from './element-form.ts';

/** What each input gets. */
export interface InputProps {
  readonly element: ElementForm;
  /** Of the input, which the label names; groups of inputs are labelled by `${id}-label`. */
  readonly id: string;
  /** Ids of the guidelines and findings. */
  readonly describedBy: string;
  readonly isReadOnly: boolean;
}
