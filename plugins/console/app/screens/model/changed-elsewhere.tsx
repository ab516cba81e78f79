import { modelTexts } from '../../messages/model.ts';

interface ChangedElsewhereProps {
  /** What others changed, in sentences; undefined: they deleted it. */
  readonly changes: readonly string[] | undefined;
  readonly onTake: () => void;
  readonly onKeep: () => void;
}

/** What others changed since a part of the model was read, and the choice. What was typed stays until then. */
export function ChangedElsewhere({ changes, onTake, onKeep }: ChangedElsewhereProps) {
  const t = modelTexts();
  return (
    <section class="conflict" role="alert" aria-label={t.conflictTitle}>
      <p>{changes === undefined ? t.conflictGone : t.conflict}</p>
      {changes && (
        <>
          <ul>
            {(changes.length > 0 ? changes : [t.changes.otherwise]).map((change) => (
              <li key={change}>{change}</li>
            ))}
          </ul>
          <div class="actions">
            <button type="button" onClick={onTake}>
              {t.takeTheirs}
            </button>
            <button type="button" class="primary" onClick={onKeep}>
              {t.keepMine}
            </button>
          </div>
        </>
      )}
    </section>
  );
}
