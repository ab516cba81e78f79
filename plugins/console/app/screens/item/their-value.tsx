import { Fragment } from 'preact';
import { itemTexts } from '../../messages/item.ts';
import { formatTime, formatValue } from '../../messages/messages.ts';
import { useForm } from './form-context.ts';
import { membersOf } from './form-groups.ts';
import type { ManagedElement, Reference, ValueDefinition } from './managed.ts';
import { elementText } from './plain-text.ts';
import { useReferenceName } from './reference-inputs.tsx';

interface TheirValueProps {
  readonly definition: ValueDefinition;
  readonly theirs: ManagedElement;
}

/** What someone else saved in an element, as a person reads it. */
export function TheirValue({ definition, theirs }: TheirValueProps) {
  const { model } = useForm();
  const { value } = theirs;
  if (definition.type === 'date_time' && value !== null) return <>{formatTime(String(value))}</>;
  if (typeof value === 'number') return <>{formatValue(value)}</>;
  if (!Array.isArray(value)) return <span class="their-text">{elementText(theirs)}</span>;
  const members = value as readonly Reference[];
  const known = membersOf(model, definition);
  return (
    <>
      {members.length === 0 && itemTexts().none}
      {members.map(({ id }, at) => (
        <Fragment key={id}>
          {at > 0 && ', '}
          {known ? (
            (known.find((one) => one.id === id)?.name ?? id)
          ) : (
            <ReferenceName kind={definition.type === 'asset' ? 'asset' : 'item'} id={id} />
          )}
        </Fragment>
      ))}
    </>
  );
}

function ReferenceName(reference: { readonly kind: 'item' | 'asset'; readonly id: string }) {
  const { name, isMissing } = useReferenceName(reference.kind, reference.id);
  const { missing, loading } = itemTexts();
  return <>{name ?? (isMissing ? missing : loading)}</>;
}
