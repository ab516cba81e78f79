import { useSignal } from '@preact/signals';
import { messages } from '../messages/messages.ts';
import { Checks } from '../parts/checks.tsx';
import { Dialog } from '../parts/dialog.tsx';
import type { ListState } from './list-state.ts';
import type { ContentType, Named } from './project-data.ts';

/** As many as the listing shows. */
const MOST = 10;

interface ColumnsDialogProps {
  readonly state: ListState;
  /** The one type of the list, if it has one. */
  readonly type: ContentType | undefined;
  readonly languages: readonly Named[];
  readonly onClose: () => void;
}

/** Chooses elements and further languages as columns of the list. */
export function ColumnsDialog({ state, type, languages, onClose }: ColumnsDialogProps) {
  const { content, close } = messages();
  const isTooMany = useSignal(false);
  const parts = (name: 'elements' | 'beside') => state.get(name).split(',').filter(Boolean);
  return (
    <Dialog title={content.columns} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          const [elements, beside] = [data.getAll('elements'), data.getAll('beside')];
          isTooMany.value = elements.length > MOST || beside.length > MOST;
          if (isTooMany.value) return;
          state.set({ elements: elements.join(','), beside: beside.join(',') });
          onClose();
        }}
      >
        {type ? (
          <Checks
            legend={content.elementsOf(type.name)}
            name="elements"
            options={type.elements
              .filter((element) => element.type !== 'guidelines' && element.type !== 'snippet')
              .map(({ codename, name }) => ({ value: codename, text: name ?? codename }))}
            checked={parts('elements')}
          />
        ) : (
          <p>{content.elementsNeedType}</p>
        )}
        <Checks
          legend={content.beside}
          name="beside"
          options={languages.map(({ codename, name }) => ({ value: codename, text: name }))}
          checked={parts('beside')}
        />
        {isTooMany.value && (
          <p class="failure" role="alert">
            {content.mostColumns(MOST)}
          </p>
        )}
        <div class="actions">
          <button type="button" onClick={onClose}>
            {close}
          </button>
          <button type="submit" class="primary">
            {content.showColumns}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
