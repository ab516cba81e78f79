import { expect } from 'chai';
import { createUser } from '../../core/access/users.ts';
import { WebhookMails } from '../../core/mail/webhook-mails.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { setWebhookEnabled } from '../../core/webhooks/registrations.ts';
import { isLongForm } from '../support/long-form.ts';
import { DispatcherBench } from '../support/webhooks/dispatcher-bench.ts';
import { FakeClock } from '../support/webhooks/fake-clock.ts';
import { answering, type Receiver, startReceiver } from '../support/webhooks/receiver.ts';

const HOUR = 3_600_000;
const HISTORIES = isLongForm ? 1000 : 3;

/** Numbers from 0 to 1, the same for the same seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Spec 6.1 alone: the mails about a webhook, attempt by attempt. */
class MailRules {
  readonly mails: string[] = [];
  #since: number | undefined;
  #mailed: 'failing' | 'dropped' | undefined;

  attempt(at: number, taken: boolean, dropped: boolean): void {
    if (taken) {
      if (this.#mailed) this.#mail('webhook-recovered');
      this.#since = undefined;
      this.#mailed = undefined;
      return;
    }
    this.#since ??= at;
    if (dropped && this.#mailed !== 'dropped') {
      this.#mail('webhook-dropped');
      this.#mailed = 'dropped';
    } else if (!this.#mailed && at - this.#since >= HOUR) {
      this.#mail('webhook-failing');
      this.#mailed = 'failing';
    }
  }

  #mail(kind: string): void {
    this.mails.push(`${kind} ${new Date(this.#since ?? 0).toISOString().slice(0, 19)}`);
  }
}

describe('mails about webhooks (spec 6.1)', () => {
  let receiver: Receiver;
  let bench: DispatcherBench;
  let clock: FakeClock;
  let mails: WebhookMails;
  let webhook = '';

  beforeEach(async () => {
    receiver = await startReceiver();
    clock = new FakeClock();
    bench = await DispatcherBench.open(clock);
    await bench.storage.write((tx) =>
      createUser(
        { tx, actor: null, options: { newId: () => 'ann' } },
        {
          name: 'Ann',
          email: 'ann@example.org',
          projects: [{ id: bench.project.id, capabilities: ['manage-apis'] }],
        },
      ),
    );
    webhook = await bench.webhook(`${receiver.url}/a`);
    openMails();
  });

  afterEach(async () => {
    await bench.close();
    await receiver.close();
  });

  function openMails(): void {
    mails = new WebhookMails({
      storage: bench.storage,
      clock: () => new Date(clock.now()),
      queued: () => {},
      failed: (error) => bench.failures.push(error),
    });
  }

  async function sent(): Promise<string[]> {
    await mails.close();
    const rows = await bench.rows<{ kind: string; occasion: string }>(
      'SELECT kind, occasion FROM mail ORDER BY number',
    );
    return rows.map(
      ({ kind, occasion }) => `${kind} ${/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(occasion)?.[0]}`,
    );
  }

  /** Plays attempts until there is nothing more to send or `attempts` were made. */
  async function play(attempts: number, takes: () => boolean, crashes: () => boolean): Promise<string[]> {
    const rules = new MailRules();
    let crash = false;
    const onAttemptRecorded = (attempt: Parameters<WebhookMails['onAttemptRecorded']>[0]) =>
      crash || mails.onAttemptRecorded(attempt);
    const answers: boolean[] = [];
    receiver.behave('/a', (request, response) => {
      const taken = takes();
      answers.push(taken);
      answering(taken ? 200 : 500)(request, response);
    });
    const decide = () => {
      crash = crashes();
    };
    decide();
    bench.start({ onAttemptRecorded });
    let seen = 0;
    const follow = async () => {
      for (;;) {
        await bench.dispatcher.settled();
        const dead = await bench.rows<{ count: number }>(
          'SELECT count(*) AS count FROM webhook_notification WHERE state = 2',
        );
        for (const taken of answers.slice(seen))
          rules.attempt(clock.now(), taken, !taken && dead[0]!.count > drops);
        drops = dead[0]!.count;
        seen = answers.length;
        if (!crash) return;
        // What was recorded without a mail is found at the next start.
        await mails.close();
        crash = false;
        await bench.restart({ onAttemptRecorded });
        openMails();
        mails.checkAll();
        await mails.close();
        if (answers.length === seen) return;
      }
    };
    let drops = 0;
    await bench.events('one', 2);
    while (answers.length < attempts) {
      await follow();
      const due = clock.next;
      if (due === undefined) break;
      decide();
      clock.advance(due);
    }
    await follow();
    expect(await sent(), 'by the rules').to.deep.equal(rules.mails);
    return rules.mails;
  }

  it('are sent after an hour of failures, after three days, and after recovery, once each', async () => {
    let tried = 0;
    const start = clock.now();
    const kinds = await play(
      90,
      () => ++tried > 80,
      () => false,
    );
    expect(kinds.map((mail) => mail.split(' ')[0])).to.deep.equal([
      'webhook-failing',
      'webhook-dropped',
      'webhook-recovered',
    ]);
    expect(new Set(kinds.map((mail) => mail.split(' ')[1]))).to.deep.equal(
      new Set([new Date(start).toISOString().slice(0, 19)]),
    );
    expect(bench.failures).to.deep.equal([]);
  });

  it('are not sent after recovery within the hour', async () => {
    let tried = 0;
    expect(
      await play(
        10,
        () => ++tried > 6,
        () => false,
      ),
    ).to.deep.equal([]);
  });

  for (const how of ['the service was stopped', 'the webhook was paused'])
    it(`do not count an hour without attempts, in which ${how}`, async () => {
      const options: Parameters<typeof bench.start>[0] = {
        onAttemptRecorded: (attempt) => mails.onAttemptRecorded(attempt),
      };
      receiver.behave('/a', answering(500));
      bench.start(options);
      await bench.events('one');
      await bench.dispatcher.settled();
      if (how === 'the service was stopped') {
        await bench.stop();
        await bench.openStorage();
        clock.advance(2 * HOUR);
        openMails();
        mails.checkAll();
        bench.start(options);
      } else {
        await bench.run((transaction) => setWebhookEnabled(transaction, webhook, false));
        clock.advance(2 * HOUR);
        await bench.run((transaction) => setWebhookEnabled(transaction, webhook, true));
      }
      await bench.dispatcher.settled();
      expect(receiver.record).to.have.length(2);
      expect(await sent()).to.deep.equal([]);
      for (let attempts = 2; attempts < 8; attempts += 1) {
        clock.advance(clock.next ?? 0);
        await bench.dispatcher.settled();
      }
      expect((await sent()).map((mail) => mail.split(' ')[0])).to.deep.equal(['webhook-failing']);
    });

  it('are sent with the next attempt after a failed write', async () => {
    const write: Storage['write'] = (work) => bench.storage.write(work);
    const storage = { sql: bench.storage.sql, write };
    mails = new WebhookMails({
      storage,
      clock: () => new Date(clock.now()),
      queued: () => {},
      failed: () => {},
    });
    const [queue] = await bench.rows<{ queue: number }>('SELECT lane FROM webhook_progress');
    const since = new Date(clock.now() - 2 * HOUR).toISOString();
    await bench.storage.write((tx) =>
      tx.run(`UPDATE webhook_lane SET mailed = 'failing', mailed_at = ?`, [since]),
    );
    storage.write = () => Promise.reject(new Error('disk full'));
    mails.onAttemptRecorded({ queue: queue!.queue, failingSince: [since, null], deadSince: [null, null] });
    expect(await sent()).to.deep.equal([]);
    storage.write = write;
    mails.onAttemptRecorded({ queue: 999, failingSince: [null, null], deadSince: [null, null] });
    expect((await sent()).map((mail) => mail.split(' ')[0])).to.deep.equal(['webhook-recovered']);
  });

  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    it(`follow the rules through a random history with restarts and crashes (seed ${seed})`, async () => {
      const next = random(seed * 7919);
      const patience = 2 + Math.floor(next() * 30);
      let left = patience;
      await play(
        60,
        () => {
          left -= 1;
          if (left > 0) return false;
          left = 2 + Math.floor(next() * 20);
          return true;
        },
        () => next() < 0.2,
      );
      expect(bench.failures).to.deep.equal([]);
    });
  }
});
