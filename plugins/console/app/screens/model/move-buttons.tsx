import { modelTexts } from '../../messages/model.ts';

interface MoveButtonsProps {
  readonly name: string;
  readonly onUp: (() => void) | undefined;
  readonly onDown: (() => void) | undefined;
  readonly onRemove: () => void;
}

/** Moves and removes a member of a list. A button that can do nothing keeps the focus. */
export function MoveButtons({ name, onUp, onDown, onRemove }: MoveButtonsProps) {
  const t = modelTexts();
  return (
    <>
      <button type="button" aria-label={t.up(name)} aria-disabled={!onUp} onClick={() => onUp?.()}>
        ↑
      </button>
      <button type="button" aria-label={t.down(name)} aria-disabled={!onDown} onClick={() => onDown?.()}>
        ↓
      </button>
      <button type="button" aria-label={t.remove(name)} onClick={onRemove}>
        ×
      </button>
    </>
  );
}
