import { useSignal } from '@preact/signals';
import { call } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { announce } from '../parts/announce.tsx';
import { Checks } from '../parts/checks.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { useAct } from '../parts/use-act.ts';
import { type Role, useRoles } from './people-data.ts';

/** Roles: named sets of permissions, which people get in projects. */
export function Roles() {
  const { roles } = messages();
  const listed = useRoles();
  /** The role that is edited; null = a new one. */
  const edited = useSignal<Role | null | undefined>(undefined);
  const texts: Readonly<Record<string, string>> = roles.permission;
  return (
    <>
      <h1>{roles.title}</h1>
      <div class="bar">
        <button type="button" class="primary" onClick={() => (edited.value = null)}>
          {roles.add}
        </button>
      </div>
      <Loaded query={listed}>
        {(data) => (
          <DataTable
            columns={[roles.name, roles.permissions, roles.change]}
            empty=""
            rows={data.map((role) => ({
              key: role.id,
              cells: [
                role.name,
                role.is_fixed
                  ? roles.fixed
                  : role.permissions.map((permission) => texts[permission] ?? permission).join(', '),
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
          onClose={() => {
            edited.value = undefined;
            void listed.refetch();
          }}
        />
      )}
    </>
  );
}

function RoleDialog({ role, onClose }: { readonly role: Role | null; readonly onClose: () => void }) {
  const { roles } = messages();
  const { run, error } = useAct();

  const runAndClose = (work: () => Promise<string>) =>
    run(async () => {
      announce(await work());
      onClose();
    });

  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    const body = {
      name: String(given.get('name')),
      codename: String(given.get('codename')),
      permissions: given.getAll('permissions').map(String),
    };
    return runAndClose(async () => {
      await (role ? call('PATCH', `admin/roles/${role.id}`, body) : call('POST', 'admin/roles', body));
      return roles.saved(body.name);
    });
  };

  return (
    <Dialog title={role ? roles.edit(role.name) : roles.add} onClose={onClose}>
      <form onSubmit={(event) => void save(event)}>
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
        {error.value !== undefined && <Failure error={error.value} />}
        <div class="actions">
          {role && (
            <button
              type="button"
              onClick={() =>
                void runAndClose(async () => {
                  await call('DELETE', `admin/roles/${role.id}`);
                  return roles.removed(role.name);
                })
              }
            >
              {roles.remove}
            </button>
          )}
          <button type="button" onClick={onClose}>
            {roles.cancel}
          </button>
          <button type="submit" class="primary">
            {roles.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
