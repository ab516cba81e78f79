import { useSignal } from '@preact/signals';
import { useQueryClient } from '@tanstack/preact-query';
import { useLocation } from 'wouter-preact';
import { call } from '../../api.ts';
import { modelTexts } from '../../messages/model.ts';
import { announce } from '../../parts/announce.tsx';
import { ApiCallButton } from '../../parts/api-call-button.tsx';
import { Edited } from '../../parts/edited.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { objectCalls } from '../../parts/object-calls.ts';
import { PageHeading } from '../../parts/page-heading.tsx';
import { UnsavedOffer } from '../../parts/unsaved-offer.tsx';
import { useAct } from '../../parts/use-act.ts';
import { type TaggedObject, useTagged } from '../../parts/use-tagged.ts';
import { useContentModel } from '../item/content-model.ts';
import type { ContentModel } from '../item/form-groups.ts';
import { ChangedElsewhere } from './changed-elsewhere.tsx';
import { definitionChanges } from './changes.ts';
import type { Definition } from './definition.ts';
import { DefinitionForm } from './definition-form.tsx';
import { definitionInput, definitionPatch, subjectOf } from './definition-patch.ts';
import { EditBar } from './edit-bar.tsx';
import { ImpactDialog } from './impact-dialog.tsx';
import { ModelNav } from './model-nav.tsx';
import { useEdits, useLeaveGuard } from './use-edits.ts';
import { useReviewedSave } from './use-reviewed-save.ts';

interface DefinitionScreenProps {
  readonly project: string;
  readonly kind: 'types' | 'snippets';
  /** Id, or `new`. */
  readonly id: string;
}

/** A content type or a snippet. */
export function DefinitionScreen({ project, kind, id }: DefinitionScreenProps) {
  const t = modelTexts();
  const isNew = id === 'new';
  const path = `manage/projects/${project}/${kind}`;
  const object = useTagged<Definition>(isNew ? undefined : `${path}/${id}`);
  const model = useContentModel(project);
  /** What was there before the last save. */
  const before = useSignal<Definition | undefined>(undefined);
  const empty: Definition = {
    id: 'new:definition',
    name: '',
    codename: '',
    ...(kind === 'types' && { content_groups: [] }),
    elements: [],
  };
  return (
    <>
      <ModelNav project={project} />
      <div class="bar">
        <PageHeading>{object.value?.name ?? (kind === 'types' ? t.newType : t.newSnippet)}</PageHeading>
        {object.value && (
          <span class="end">
            <ApiCallButton project={project} calls={() => objectCalls(kind, object.value ?? empty)} />
          </span>
        )}
      </div>
      <Loaded query={model}>
        {(data) => (
          <Edited object={object} isNew={isNew}>
            <EditedDefinition
              project={project}
              kind={kind}
              base={object.value ?? empty}
              isNew={isNew}
              object={object}
              model={data}
              former={before.value}
              onSaved={(former) => {
                before.value = former;
              }}
            />
          </Edited>
        )}
      </Loaded>
    </>
  );
}

interface EditedDefinitionProps extends Omit<DefinitionScreenProps, 'id'> {
  readonly base: Definition;
  readonly isNew: boolean;
  readonly object: TaggedObject<Definition>;
  readonly model: ContentModel;
  readonly former: Definition | undefined;
  readonly onSaved: (former: Definition) => void;
}

function EditedDefinition(props: EditedDefinitionProps) {
  const { project, kind, base, isNew, object, model, former, onSaved } = props;
  const t = modelTexts();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const { history, offer, end } = useEdits(base, definitionChanges);
  const definition = history.value.value;
  const operations = isNew ? [] : definitionPatch(base, definition);
  const isChanged = isNew ? definition !== base : operations.length > 0;
  const subject = (path: string) => subjectOf(path, definition, operations);
  const review = useReviewedSave(project, object);
  const { isReviewing, isRefused } = review;
  const { run, error, isBusy } = useAct();
  useLeaveGuard(isChanged);

  const create = () =>
    run(async () => {
      const path = `manage/projects/${project}/${kind}`;
      const { id } = await call<Definition>('POST', path, definitionInput(definition));
      end();
      announce(t.saved(definition.name));
      await queries.invalidateQueries({ queryKey: [project] });
      navigate(`/projects/${project}/${kind}/${id}`);
    });
  const save = () =>
    review.save(
      () => object.write('PATCH', `manage/projects/${project}/${kind}/${base.id}`, operations),
      definition.name,
      () => {
        end();
        onSaved(base);
      },
    );

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isNew) void create();
        else isReviewing.value = true;
      }}
    >
      <EditBar history={history} isChanged={isChanged} isNew={isNew} isBusy={isBusy.value} />
      <UnsavedOffer offer={offer} />
      <Failure error={error.value} subjectOf={subject} />
      {(object.theirs || isRefused.value) && (
        <ChangedElsewhere
          changes={object.theirs && definitionChanges(base, object.theirs)}
          onTake={() => {
            end();
            object.takeTheirs();
          }}
          onKeep={() => {
            object.keepMine();
            isRefused.value = false;
            isReviewing.value = true;
          }}
        />
      )}
      {former && !isChanged && <UndoSaved former={former} saved={base} onUndo={() => history.edit(former)} />}
      <DefinitionForm
        definition={definition}
        model={model}
        onChange={(next, field) => history.edit(next, field)}
      />
      {isReviewing.value && (
        <ImpactDialog
          title={t.impact.title(base.name)}
          changes={definitionChanges(base, definition)}
          path={`admin/projects/${project}/${kind}/${base.id}/impact`}
          body={{ operations }}
          confirm={t.saveNow}
          onConfirm={save}
          onClose={() => {
            isReviewing.value = false;
          }}
          subjectOf={subject}
          onRefused={() => void object.findTheirs().catch(() => undefined)}
        />
      )}
    </form>
  );
}

interface UndoSavedProps {
  readonly former: Definition;
  readonly saved: Definition;
  readonly onUndo: () => void;
}

/** Puts back what was there before a save, where nothing was removed by it. */
function UndoSaved({ former, saved, onUndo }: UndoSavedProps) {
  const t = modelTexts();
  const lost = definitionPatch(former, saved).some(({ op }) => op === 'remove');
  return (
    <div class="bar">
      {lost ? (
        <p class="hint">{t.undoImpossible}</p>
      ) : (
        <>
          <button type="button" onClick={onUndo}>
            {t.undoSaved}
          </button>
          <p class="hint">{t.undoSavedHint}</p>
        </>
      )}
    </div>
  );
}
