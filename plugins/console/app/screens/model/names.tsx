import { modelTexts } from '../../messages/model.ts';
import { Field } from '../../parts/field.tsx';
import { codenameOf, isNew } from './definition.ts';

interface NamesProps<T> {
  readonly value: T;
  /** Codenames of the others. */
  readonly taken: readonly string[];
  readonly nameLabel?: string;
  readonly codenameLabel?: string;
  readonly longest?: number;
  readonly onChange: (value: T, field: string) => void;
}

interface NamedPart {
  readonly id: string;
  readonly name?: string;
  readonly codename: string;
}

/** Name and codename. The codename of a new part follows its name until it is changed. */
export function Names<T extends NamedPart>(props: NamesProps<T>) {
  const t = modelTexts();
  const { value, taken, nameLabel = t.name, codenameLabel = t.codename, longest = 50, onChange } = props;
  const rename = (name: string) => {
    const follows = isNew(value) && value.codename === codenameOf(value.name ?? '', taken);
    onChange({ ...value, name, ...(follows && { codename: codenameOf(name, taken) }) }, `${value.id} name`);
  };
  return (
    <>
      <Field
        label={nameLabel}
        required
        maxLength={longest}
        value={value.name ?? ''}
        onInput={({ currentTarget }) => rename(currentTarget.value)}
      />
      <Field
        label={codenameLabel}
        hint={t.codenameHint}
        required
        pattern="[a-z_][a-z0-9_]*"
        value={value.codename}
        onInput={({ currentTarget }) =>
          onChange({ ...value, codename: currentTarget.value }, `${value.id} codename`)
        }
      />
    </>
  );
}
