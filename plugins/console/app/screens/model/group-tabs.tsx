import { useId } from 'preact/hooks';
import { modelTexts } from '../../messages/model.ts';
import { announce } from '../../parts/announce.tsx';
import { codenameOf, type Definition, moved, newId } from './definition.ts';
import { MoveButtons } from './move-buttons.tsx';
import { Names } from './names.tsx';
import '../../style/form.css';

interface GroupTabsProps {
  readonly definition: Definition;
  /** Id of the group whose elements are shown. */
  readonly shown: string | undefined;
  readonly onShow: (group: string) => void;
  readonly onChange: (definition: Definition, field?: string) => void;
}

/** The groups of a type as tabs, with the name of the chosen one. */
export function GroupTabs({ definition, shown, onShow, onChange }: GroupTabsProps) {
  const t = modelTexts();
  const id = useId();
  const groups = definition.content_groups ?? [];
  const at = groups.findIndex((group) => group.id === shown);
  const group = groups[at];
  const codenames = groups.map(({ codename }) => codename);
  const set = (content_groups: typeof groups, field?: string) =>
    onChange({ ...definition, content_groups }, field);
  const show = (index: number) => {
    const next = groups[(index + groups.length) % groups.length];
    if (!next) return;
    onShow(next.id);
    document.getElementById(`${id}-${next.id}`)?.focus();
  };
  const add = () => {
    const name = t.newGroup;
    const added = { id: newId(), name, codename: codenameOf(name, codenames) };
    set([...groups, added]);
    onShow(added.id);
  };
  const move = (before: string | undefined) => {
    if (!group) return;
    const next = moved(groups, group.id, before);
    set(next);
    announce(t.movedTo(group.name || t.unnamed, next.indexOf(group) + 1, next.length));
  };
  const remove = () => {
    if (!group) return;
    const elements = definition.elements.map((element) => {
      if (element.content_group?.id !== group.id) return element;
      const { content_group: _removed, ...rest } = element;
      return rest;
    });
    onChange({ ...definition, content_groups: groups.filter((one) => one !== group), elements });
  };
  return (
    <section aria-label={t.groups}>
      <div class="bar">
        {groups.length > 0 && (
          <div
            class="tabs"
            role="tablist"
            aria-label={t.groups}
            onKeyDown={(event) => {
              if (event.key === 'ArrowRight') show(at + 1);
              else if (event.key === 'ArrowLeft') show(at - 1);
              else return;
              event.preventDefault();
            }}
          >
            {groups.map((one) => (
              <button
                key={one.id}
                id={`${id}-${one.id}`}
                type="button"
                role="tab"
                aria-selected={one.id === shown}
                tabIndex={one.id === shown ? 0 : -1}
                onClick={() => onShow(one.id)}
              >
                {one.name || t.unnamed}
              </button>
            ))}
          </div>
        )}
        <button type="button" onClick={add}>
          {t.addGroup}
        </button>
      </div>
      {group && (
        // Another one for each group: a key that is held down removes no second one.
        <fieldset key={group.id} class="group">
          <legend>{t.groupOf}</legend>
          <Names
            value={group}
            taken={codenames.filter((_, index) => index !== at)}
            onChange={(changed, field) =>
              set(
                groups.map((one) => (one === group ? changed : one)),
                field,
              )
            }
          />
          <div class="acts">
            <MoveButtons
              name={group.name || t.unnamed}
              onUp={at > 0 ? () => move(groups[at - 1]?.id) : undefined}
              onDown={at + 1 < groups.length ? () => move(groups[at + 2]?.id) : undefined}
              onRemove={remove}
            />
          </div>
        </fieldset>
      )}
    </section>
  );
}
