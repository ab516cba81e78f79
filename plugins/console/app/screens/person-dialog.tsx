import { useSignal } from '@preact/signals';
import { BASE, call } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { announce } from '../parts/announce.tsx';
import { Checks } from '../parts/checks.tsx';
import { Conflict } from '../parts/conflict.tsx';
import { Dialog, FormActions } from '../parts/dialog.tsx';
import { Edited } from '../parts/edited.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { useQuestion } from '../parts/question.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { UnsavedForm, useUnsaved } from '../parts/unsaved-form.tsx';
import { useAct } from '../parts/use-act.ts';
import { useTagged } from '../parts/use-tagged.ts';
import type { Role, SignInLink, User } from './people-data.ts';

interface PersonDialogProps {
  /** Null: a new person. */
  readonly user: User | null;
  readonly roles: readonly Role[];
  readonly projects: readonly { readonly id: string; readonly name: string }[];
  readonly onClose: () => void;
}

/** Name, mail address and roles of a person; makes sign-in links. */
export function PersonDialog({ user: listed, roles, projects, onClose }: PersonDialogProps) {
  const { people } = messages();
  const { run, error, isBusy } = useAct();
  const { ask, dialog } = useQuestion();
  const unsaved = useUnsaved('person', '', listed?.id);
  const object = useTagged<User>(listed ? `admin/users/${listed.id}` : undefined);
  const user = object.value ?? listed;
  const link = useSignal<{ readonly of: string; readonly url: string; readonly minutes: number } | undefined>(
    undefined,
  );

  const showLink = (of: string, { token, valid_minutes: minutes }: SignInLink) => {
    link.value = { of, url: `${location.origin}${BASE}/sign-in#token=${token}`, minutes };
  };
  const makeLink = async ({ id, name }: User) =>
    showLink(name, await call<SignInLink>('POST', `admin/users/${id}/sign-in-link`));
  const invite = async ({ id, email }: User) => {
    await call('POST', `admin/users/${id}/invitation`);
    announce(people.invited(email));
  };

  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    const before = new Map(user?.projects.map((project) => [project.id, project]));
    const shown = projects.map(({ id }) => ({
      id,
      capabilities: before.get(id)?.capabilities ?? [],
      roles: given.getAll(`roles.${id}`).map(String),
    }));
    // Memberships of projects that are not shown, such as archived ones, stay.
    const others = (user?.projects ?? []).filter(({ id }) => !projects.some((project) => project.id === id));
    // Who had no role before, has only keys there, and keeps them.
    const isMember = ({ id, capabilities, roles: own }: (typeof shown)[number]) =>
      capabilities.length > 0 || own.length > 0 || before.get(id)?.roles.length === 0;
    const body = {
      name: given.get('name'),
      email: given.get('email'),
      projects: [...shown.filter(isMember), ...others],
      operator: given.get('operator') !== null,
    };
    const signIn = given.get('mail') === null ? 'link' : 'mail';
    return run(async () => {
      const saved = await (user
        ? object.write<User>('PATCH', `admin/users/${user.id}`, body)
        : call<User>('POST', 'admin/users', { ...body, sign_in: signIn }));
      void unsaved.clear();
      announce(saved.sign_in_link || user ? people.saved(saved.name) : people.invited(saved.email));
      if (saved.sign_in_link) showLink(saved.name, saved.sign_in_link);
      else onClose();
    });
  };

  const remove = ({ id, name }: User) =>
    ask({
      title: people.removeOf(name),
      plan: people.removePlan,
      act: people.remove,
      run: () => object.write('DELETE', `admin/users/${id}`),
      done() {
        void unsaved.clear();
        announce(people.removed(name));
        onClose();
      },
    });

  if (link.value)
    return (
      <SecretDialog
        title={people.linkFor(link.value.of)}
        hint={people.linkHint(link.value.minutes)}
        secret={link.value.url}
        onClose={onClose}
      />
    );

  return (
    <Dialog title={user ? people.edit(user.name) : people.add} onClose={onClose} isForm>
      <Edited object={object} isNew={listed === null}>
        <UnsavedForm unsaved={unsaved} onSubmit={(event) => void save(event)}>
          <Field label={people.name} name="name" required defaultValue={user?.name ?? ''} />
          <Field label={people.email} name="email" type="email" required defaultValue={user?.email ?? ''} />
          <label class="check">
            <input type="checkbox" name="operator" defaultChecked={user?.is_operator ?? false} />{' '}
            {people.isOperator}
          </label>
          {!user && (
            <label class="check">
              <input type="checkbox" name="mail" /> {people.byMail}
            </label>
          )}
          {projects.map(({ id, name }) => (
            <Checks
              key={id}
              legend={people.rolesIn(name)}
              name={`roles.${id}`}
              options={roles.map((role) => ({ value: role.id, text: role.name }))}
              checked={user?.projects.find((project) => project.id === id)?.roles ?? []}
            />
          ))}
          <Failure error={error.value} />
          <Conflict
            object={object}
            labels={{
              name: people.name,
              email: people.email,
              is_operator: people.operator,
              projects: people.projects,
            }}
          />
          <FormActions submit={people.save} isDisabled={isBusy.value}>
            {user && (
              <button type="button" disabled={isBusy.value} onClick={() => remove(user)}>
                {people.remove} …
              </button>
            )}
            {user && (
              <button type="button" disabled={isBusy.value} onClick={() => void run(() => makeLink(user))}>
                {people.link}
              </button>
            )}
            {user && (
              <button type="button" disabled={isBusy.value} onClick={() => void run(() => invite(user))}>
                {people.mailLink}
              </button>
            )}
          </FormActions>
        </UnsavedForm>
      </Edited>
      {dialog}
    </Dialog>
  );
}
