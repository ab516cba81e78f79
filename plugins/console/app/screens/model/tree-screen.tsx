import { useSignal } from '@preact/signals';
import { modelTexts } from '../../messages/model.ts';
import { ApiCallButton } from '../../parts/api-call-button.tsx';
import { Edited } from '../../parts/edited.tsx';
import { listingCalls, objectCalls } from '../../parts/object-calls.ts';
import { PageHeading } from '../../parts/page-heading.tsx';
import { UnsavedOffer } from '../../parts/unsaved-offer.tsx';
import { type TaggedObject, useTagged } from '../../parts/use-tagged.ts';
import { ChangedElsewhere } from './changed-elsewhere.tsx';
import { treeChanges } from './changes.ts';
import { isDifferent } from './definition-patch.ts';
import { EditBar } from './edit-bar.tsx';
import { ImpactDialog } from './impact-dialog.tsx';
import { ModelNav } from './model-nav.tsx';
import { Names } from './names.tsx';
import { nodesOfTerms, rebasedTree, type Term, type Tree, treeInput } from './tree.ts';
import { TreeEditor } from './tree-editor.tsx';
import { useEdits, useLeaveGuard } from './use-edits.ts';
import { useReviewedSave } from './use-reviewed-save.ts';

/** A tree of the model in the form of its API. */
interface TreeKind<Value> {
  readonly part: 'taxonomies' | 'sitemap';
  /** Of the object. */
  readonly path: string;
  readonly impactPath: string;
  readonly method: 'PATCH' | 'PUT';
  treeOf(value: Value): Tree;
  /** What is sent, and what is sent to be counted. */
  bodyOf(before: Tree, after: Tree): { readonly body: unknown; readonly impactBody: object };
}

/** A taxonomy group. */
export function TaxonomyScreen({ project, id }: { readonly project: string; readonly id: string }) {
  const path = `manage/projects/${project}/taxonomies/${id}`;
  return (
    <TreeScreen<Term>
      project={project}
      kind={{
        part: 'taxonomies',
        path,
        impactPath: `admin/projects/${project}/taxonomies/${id}/impact`,
        method: 'PATCH',
        treeOf: ({ id: own, name, codename, terms }) => ({
          id: own,
          name,
          codename,
          nodes: nodesOfTerms(terms),
        }),
        bodyOf: (before, after) => {
          const operations = taxonomyPatch(before, after);
          return { body: operations, impactBody: { operations } };
        },
      }}
    />
  );
}

/** Terms keep their ids, so that content keeps them wherever they are moved. */
function taxonomyPatch(before: Tree, after: Tree): object[] {
  const replace = (property_name: string, value: unknown) => ({ op: 'replace', property_name, value });
  const isRenamed = before.name !== after.name || before.codename !== after.codename;
  return [
    ...(isRenamed ? [replace('name', after.name), replace('codename', after.codename)] : []),
    ...(isDifferent(before.nodes, after.nodes) ? [replace('terms', treeInput(after.nodes, 'terms'))] : []),
  ];
}

/** The sitemap of a project. */
export function SitemapScreen({ project }: { readonly project: string }) {
  const path = `admin/projects/${project}/sitemap`;
  return (
    <TreeScreen<Pick<Tree, 'nodes'>>
      project={project}
      kind={{
        part: 'sitemap',
        path,
        impactPath: `${path}/impact`,
        method: 'PUT',
        treeOf: ({ nodes }) => ({ id: 'sitemap', name: modelTexts().sitemap, codename: '', nodes }),
        bodyOf: (_before, { nodes }) => {
          const body = { nodes: treeInput(nodes, 'nodes') };
          return { body, impactBody: body };
        },
      }}
    />
  );
}

interface TreeScreenProps<Value> {
  readonly project: string;
  readonly kind: TreeKind<Value>;
}

function TreeScreen<Value extends object>({ project, kind }: TreeScreenProps<Value>) {
  const object = useTagged<Value>(kind.path);
  const base = object.value && kind.treeOf(object.value);
  /** What a person changed, on top of what others changed meanwhile. */
  const carried = useSignal<Tree | undefined>(undefined);
  return (
    <>
      <ModelNav project={project} />
      <div class="bar">
        <PageHeading>{base?.name ?? modelTexts()[kind.part]}</PageHeading>
        {base && (
          <span class="end">
            <ApiCallButton
              project={project}
              calls={() => (kind.part === 'sitemap' ? listingCalls(kind.part) : objectCalls(kind.part, base))}
            />
          </span>
        )}
      </div>
      <Edited object={object} isNew={false}>
        {base && (
          <EditedTree
            project={project}
            kind={kind}
            object={object}
            base={base}
            carried={carried.value}
            onCarry={(tree) => {
              carried.value = tree;
            }}
          />
        )}
      </Edited>
    </>
  );
}

interface EditedTreeProps<Value> extends TreeScreenProps<Value> {
  readonly object: TaggedObject<Value>;
  readonly base: Tree;
  readonly carried: Tree | undefined;
  readonly onCarry: (tree: Tree | undefined) => void;
}

function EditedTree<Value extends object>(props: EditedTreeProps<Value>) {
  const { project, kind, object, base, carried, onCarry } = props;
  const t = modelTexts();
  const what = kind.part === 'sitemap' ? t.changes.location : t.changes.term;
  const changes = (before: Tree, after: Tree) => treeChanges(what, before, after);
  const { history, offer, end } = useEdits(base, changes, carried);
  const tree = history.value.value;
  const isChanged = isDifferent(base, tree);
  const review = useReviewedSave(project, object);
  const { isReviewing, isRefused } = review;
  useLeaveGuard(isChanged);
  const { body, impactBody } = kind.bodyOf(base, tree);

  const save = () =>
    review.save(
      () => object.write(kind.method, kind.path, body),
      tree.name,
      () => {
        end();
        onCarry(undefined);
      },
    );

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        isReviewing.value = true;
      }}
    >
      <EditBar history={history} isChanged={isChanged} isNew={false} isBusy={false} />
      <UnsavedOffer offer={offer} />
      {(object.theirs || isRefused.value) && (
        <ChangedElsewhere
          changes={object.theirs && changes(base, kind.treeOf(object.theirs))}
          onTake={() => {
            end();
            onCarry(undefined);
            object.takeTheirs();
          }}
          onKeep={() => {
            end();
            if (object.theirs) onCarry(rebasedTree(base, tree, kind.treeOf(object.theirs)));
            object.takeTheirs();
          }}
        />
      )}
      {kind.part === 'taxonomies' && (
        <Names value={tree} taken={[]} onChange={(changed, field) => history.edit(changed, field)} />
      )}
      <TreeEditor
        label={kind.part === 'sitemap' ? t.sitemap : t.terms}
        addLabel={kind.part === 'sitemap' ? t.addNode : t.addTerm}
        newName={kind.part === 'sitemap' ? t.newNode : t.newTerm}
        longestName={kind.part === 'sitemap' ? 50 : 200}
        nodes={tree.nodes}
        onChange={(nodes, field) => history.edit({ ...tree, nodes }, field)}
      />
      {isReviewing.value && (
        <ImpactDialog
          title={t.impact.title(tree.name)}
          changes={changes(base, tree)}
          path={kind.impactPath}
          body={impactBody}
          confirm={t.saveNow}
          onConfirm={save}
          onClose={() => {
            isReviewing.value = false;
          }}
          onRefused={() => void object.findTheirs().catch(() => undefined)}
        />
      )}
    </form>
  );
}
