import type { ComponentChildren } from 'preact';
import { copyingTexts } from '../messages/copying.ts';
import { announce } from './announce.tsx';

interface CopyButtonProps {
  readonly text: string;
  /** What it copies, beside other such buttons. */
  readonly label?: string;
  /** Before it is said that the browser does not permit it. */
  readonly onRefused?: () => void;
  /** Absent: “Copy”. */
  readonly children?: ComponentChildren;
}

/** Copies a text, and says whether it could. */
export function CopyButton({ text, label, onRefused, children }: CopyButtonProps) {
  const copying = copyingTexts();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      announce(copying.done);
    } catch {
      onRefused?.();
      announce(copying.refused);
    }
  };
  return (
    <button type="button" aria-label={label} onClick={() => void copy()}>
      {children ?? copying.copy}
    </button>
  );
}
