/** People who are made by operators: in one call, with a link or a mail, and what they may do in whose name. */
import { expect } from 'chai';
import type { ConsoleBrowser } from '../support/console/console-browser.ts';
import { ConsoleBrowser as NewBrowser } from '../support/console/console-browser.ts';
import { signInPerson } from '../support/console/console-people.ts';
import { Mailbox } from '../support/programs/mailbox.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'correct horse battery staple';

interface User {
  readonly id: string;
  readonly name: string;
  readonly can_sign_in: boolean;
  readonly is_operator: boolean;
  readonly sign_in_link?: { readonly token: string };
}

describe('operators and the people they make', () => {
  const mailbox = new Mailbox();
  let service: RunningService;
  let operator: ConsoleBrowser;
  before(async () => {
    service = await startService({
      sample: true,
      environment: { HEADWATER_MAIL__SMTP: await mailbox.listen() },
    });
    ({ browser: operator } = await signInPerson(service, { name: 'Operator', isOperator: true }));
  });
  after(async () => {
    await service?.stop();
    await mailbox.close();
  });

  const users = async () => (await operator.request<{ users: User[] }>('GET', 'admin/users')).body.users;
  const signInBy = (token: string) =>
    new NewBrowser(service.url).request('POST', 'session/link', { token, password: PASSWORD });
  /** The link of a mail; its text has soft line breaks. */
  const tokenIn = (text: string) =>
    /sign-in#token=3D([\w-]{43})/.exec(text.replaceAll('=\r\n', ''))?.[1] ?? '';

  it('make a user who can sign in with one call, or none', async () => {
    const before = (await users()).length;
    const body = { name: 'Grace', email: 'grace@example.org', operator: true, sign_in: 'link' };
    const made = await operator.request<User>('POST', 'admin/users', body);
    expect(made.status).to.equal(201);
    expect(made.body).to.include({ can_sign_in: true, is_operator: true });
    expect((await signInBy(made.body.sign_in_link!.token)).status).to.equal(201);
    expect((await operator.request('POST', 'admin/users', body)).status).to.equal(409);
    expect((await operator.request('POST', 'admin/users', { ...body, sign_in: 'pigeon' })).status).to.equal(
      400,
    );
    expect((await users()).length).to.equal(before + 1);
    const plain = await operator.request<User>('POST', 'admin/users', {
      name: 'Key',
      email: 'key@example.org',
    });
    expect(plain.body).to.include({ can_sign_in: false }).and.not.have.property('sign_in_link');
    const changed = await operator.request<User>('PATCH', `admin/users/${made.body.id}`, { operator: false });
    expect(changed.body).to.include({ is_operator: false, name: 'Grace' });
  });

  it('invite by mail; the link works once', async () => {
    const body = { name: 'Ada <b>', email: 'ada@example.org', sign_in: 'mail' };
    const made = await operator.request<User>('POST', 'admin/users', body);
    expect(made.status).to.equal(201);
    expect(JSON.stringify(made.body)).not.to.include('token');
    await until(() => mailbox.mails.length === 1);
    const [mail] = mailbox.mails;
    expect(mail!.to).to.deep.equal(['ada@example.org']);
    expect(mail!.text)
      .to.include(`Subject: You can sign in at ${service.url}/console`)
      .and.not.include('Ada <b>,<');
    const token = tokenIn(mail!.text);
    expect((await signInBy(token)).status).to.equal(201);
    expect((await signInBy(token)).status).to.equal(401);
    const password = { email: 'ada@example.org', password: PASSWORD };
    expect((await new NewBrowser(service.url).request('POST', 'session', password)).status).to.equal(201);
    const stored = await service.core.operations.storage.sql.all<{ facts: string }>('SELECT facts FROM mail');
    expect(JSON.stringify(stored), 'no secret waits in the outbox').not.to.include(token);
  });

  it('invite again, with another link', async () => {
    const ada = (await users()).find(({ name }) => name === 'Ada <b>')!;
    const sent = mailbox.mails.length;
    expect((await operator.request('POST', `admin/users/${ada.id}/invitation`)).status).to.equal(204);
    await until(() => mailbox.mails.length === sent + 1);
    expect((await signInBy(tokenIn(mailbox.mails.at(-1)!.text))).status).to.equal(201);
  });

  it('are the only ones who make management keys of other people', async () => {
    const project = service.sample!.projectId;
    const { roles } = (
      await operator.request<{ roles: { id: string; codename: string }[] }>('GET', 'admin/roles')
    ).body;
    const projects = [{ id: project, roles: [roles.find(({ codename }) => codename === 'developer')!.id] }];
    const other = await signInPerson(service, { name: 'Other', projects });
    const own = await signInPerson(service, { name: 'Own', projects });
    const make = (browser: ConsoleBrowser, user: string) =>
      browser.request<{ id: string; message: string }>('POST', `admin/projects/${project}/management-keys`, {
        user_id: user,
      });
    expect((await make(own.browser, own.account.toUpperCase())).status).to.equal(201);
    const refused = await make(own.browser, other.account);
    expect(refused.status).to.equal(403);
    expect(refused.body.message).to.equal(
      'You can make management keys in your own name only. An operator makes those of other users.',
    );
    const { body: key } = await make(operator, other.account);
    const renew = (browser: ConsoleBrowser) =>
      browser.request('POST', `admin/projects/${project}/management-keys/${key.id}/regenerate`);
    expect((await renew(own.browser)).status).to.equal(403);
    expect((await renew(other.browser)).status).to.equal(200);
    const turnOn = { enabled: true, user_id: other.account };
    const path = `admin/projects/${project}/management-api`;
    expect((await own.browser.request('PUT', path, turnOn)).status).to.equal(403);
  });
});
