import { useSignal } from '@preact/signals';
import { call } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { announce } from '../parts/announce.tsx';
import { ApiCallButton } from '../parts/api-call-button.tsx';
import { Checks } from '../parts/checks.tsx';
import { Conflict } from '../parts/conflict.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Dialog, FormActions } from '../parts/dialog.tsx';
import { Edited } from '../parts/edited.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { useQuestion } from '../parts/question.tsx';
import { UnsavedForm, useUnsaved } from '../parts/unsaved-form.tsx';
import { useAct } from '../parts/use-act.ts';
import { useTagged } from '../parts/use-tagged.ts';
import { useSession } from '../session.ts';
import { type Role, useRoles } from './people-data.ts';
import { limitsOf, limitText, RoleLimits } from './role-limits.tsx';

/** Roles: named sets of permissions, which people get in projects. */
export function Roles() {
  const { roles, acts } = messages();
  const listed = useRoles();
  /** The role that is edited; null = a new one. */
  const edited = useSignal<Role | null | undefined>(undefined);
  const session = useSession();
  return (
    <>
      <PageHeading>{roles.title}</PageHeading>
      <div class="bar">
        <button type="button" class="primary" onClick={() => (edited.value = null)}>
          {roles.add} …
        </button>
        <ApiCallButton calls={() => [{ api: 'admin', path: '/roles' }]} />
      </div>
      <Loaded query={listed}>
        {(data) => (
          <DataTable
            columns={[roles.name, roles.permissions, acts]}
            empty=""
            rows={data.map((role) => ({
              key: role.id,
              cells: [
                role.name,
                role.is_fixed
                  ? roles.fixed
                  : role.permissions.map((permission) => permissionText(role, permission)).join(', '),
                !role.is_fixed && (
                  <button
                    key="edit"
                    type="button"
                    aria-label={roles.edit(role.name)}
                    onClick={() => (edited.value = role)}
                  >
                    {roles.change}
                  </button>
                ),
              ],
            }))}
          />
        )}
      </Loaded>
      {edited.value !== undefined && (
        <RoleDialog
          role={edited.value}
          projects={session.data?.projects ?? []}
          onClose={() => {
            edited.value = undefined;
            void listed.refetch();
          }}
        />
      )}
    </>
  );
}

/** `Edit content and assets (de)` */
function permissionText({ limits }: Role, permission: string): string {
  const texts: Readonly<Record<string, string>> = messages().roles.permission;
  const limit = limits[permission];
  return `${texts[permission] ?? permission}${limit ? ` (${limitText(limit)})` : ''}`;
}

interface RoleDialogProps {
  /** Null: a new role. */
  readonly role: Role | null;
  readonly projects: readonly { readonly id: string }[];
  readonly onClose: () => void;
}

function RoleDialog({ role: listed, projects, onClose }: RoleDialogProps) {
  const { roles } = messages();
  const { run, error } = useAct();
  const { ask, dialog } = useQuestion();
  const unsaved = useUnsaved('role', '', listed?.id);
  const object = useTagged<Role>(listed ? `admin/roles/${listed.id}` : undefined);
  const role = object.value ?? listed;

  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    const body = {
      name: String(given.get('name')),
      codename: String(given.get('codename')),
      permissions: given.getAll('permissions').map(String),
    };
    const limits = limitsOf(given, body.permissions);
    return run(async () => {
      await (role
        ? object.write('PATCH', `admin/roles/${role.id}`, { ...body, limits })
        : call('POST', 'admin/roles', { ...body, limits }));
      void unsaved.clear();
      announce(roles.saved(body.name));
      onClose();
    });
  };
  const remove = ({ id, name }: Role) =>
    ask({
      title: roles.removeOf(name),
      plan: roles.removePlan,
      act: roles.remove,
      run: () => object.write('DELETE', `admin/roles/${id}`),
      done() {
        void unsaved.clear();
        announce(roles.removed(name));
        onClose();
      },
    });

  return (
    <Dialog title={role ? roles.edit(role.name) : roles.add} onClose={onClose} isForm>
      <Edited object={object} isNew={listed === null}>
        <UnsavedForm unsaved={unsaved} onSubmit={(event) => void save(event)}>
          <Field label={roles.name} name="name" required defaultValue={role?.name ?? ''} />
          <Field
            label={roles.codename}
            name="codename"
            required
            pattern="[a-z][a-z0-9_]*"
            defaultValue={role?.codename ?? ''}
          />
          <Checks
            legend={roles.permissions}
            name="permissions"
            options={Object.entries(roles.permission).map(([value, text]) => ({ value, text }))}
            checked={role?.permissions ?? []}
          />
          <RoleLimits limits={role?.limits ?? {}} projects={projects} />
          <Failure error={error.value} />
          <Conflict
            object={object}
            labels={{
              name: roles.name,
              codename: roles.codename,
              permissions: roles.permissions,
              limits: roles.limits,
            }}
          />
          <FormActions submit={roles.save}>
            {role && (
              <button type="button" onClick={() => remove(role)}>
                {roles.remove} …
              </button>
            )}
          </FormActions>
        </UnsavedForm>
      </Edited>
      {dialog}
    </Dialog>
  );
}
