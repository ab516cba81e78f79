import { savingTexts } from '../../messages/saving.ts';
import { Failure } from '../../parts/failure.tsx';
import { useAct } from '../../parts/use-act.ts';
import type { ItemForm } from './item-form.ts';

interface LaterTypeProps {
  readonly form: ItemForm;
  /** Makes the form anew; what was typed stays. */
  readonly onLoad: () => Promise<void>;
}

/** Says that the content type was changed since the form was made, with the way to the form as it would be now. */
export function LaterType({ form, onLoad }: LaterTypeProps) {
  const texts = savingTexts();
  const { run, error, isBusy } = useAct();
  const later = form.laterType.value;
  return (
    <div role="status">
      {later && (
        <p class="notice">
          {later.added.length > 0 ? texts.typeHasNew(later.added) : texts.typeChanged}{' '}
          <button type="button" disabled={isBusy.value} onClick={() => void run(onLoad)}>
            {texts.loadType}
          </button>
        </p>
      )}
      <Failure error={error.value} />
    </div>
  );
}
