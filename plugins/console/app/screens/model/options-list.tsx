import { modelTexts } from '../../messages/model.ts';
import { announce } from '../../parts/announce.tsx';
import { codenameOf, moved, type Named, newId } from './definition.ts';
import { dropTarget, handle } from './drag.ts';
import { MoveButtons } from './move-buttons.tsx';
import { Names } from './names.tsx';

interface OptionsListProps {
  /** Id of the element. */
  readonly element: string;
  readonly options: readonly Named[];
  readonly onChange: (options: readonly Named[], field?: string) => void;
}

/** The options of a multiple choice, in their order. */
export function OptionsList({ element, options, onChange }: OptionsListProps) {
  const t = modelTexts();
  const codenames = options.map(({ codename }) => codename);
  const move = (id: string, before: string | undefined) => {
    const next = moved(options, id, before);
    onChange(next);
    const at = next.findIndex((option) => option.id === id);
    announce(t.movedTo(next[at]?.name || t.unnamed, at + 1, next.length));
  };
  return (
    <fieldset>
      <legend>{t.settings.options}</legend>
      <ol class="model-list">
        {options.map((option, at) => {
          const name = option.name || t.unnamed;
          const next = options[at + 1];
          return (
            <li
              key={option.id}
              {...dropTarget(element, option.id, false, (id, side) =>
                move(id, side === 'before' ? option.id : next?.id),
              )}
            >
              <div class="model-row">
                <span class="handle" title={t.drag} aria-hidden="true" {...handle(element, option.id)} />
                <Names
                  value={option}
                  taken={codenames.filter((_, index) => index !== at)}
                  nameLabel={t.optionName}
                  codenameLabel={t.optionCodename}
                  longest={150}
                  onChange={(changed, field) =>
                    onChange(
                      options.map((one) => (one.id === option.id ? changed : one)),
                      field,
                    )
                  }
                />
                <span class="acts">
                  <MoveButtons
                    name={name}
                    onUp={at > 0 ? () => move(option.id, options[at - 1]?.id) : undefined}
                    onDown={next ? () => move(option.id, options[at + 2]?.id) : undefined}
                    onRemove={() => onChange(options.filter(({ id }) => id !== option.id))}
                  />
                </span>
              </div>
            </li>
          );
        })}
      </ol>
      <button
        type="button"
        onClick={() => onChange([...options, { id: newId(), name: '', codename: codenameOf('', codenames) }])}
      >
        {t.addOption}
      </button>
    </fieldset>
  );
}
