/** German for sentences of the server: the table knows those that the server writes now. */
import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { ServiceError } from '../../core/errors.ts';
import { JOB_STATES } from '../../core/jobs/jobs.ts';
import { reasonOf } from '../../core/jobs/reason-of.ts';
import { describe as describeReference } from '../../core/model/reference.ts';
import { AddressGuard } from '../../core/webhooks/send/address-guard.ts';
import { attemptError } from '../../core/webhooks/send/attempt-error.ts';
import { SENTENCES } from '../../plugins/console/app/server-words/sentences-de.ts';
import { translator } from '../../plugins/console/app/server-words/translate.ts';

/** Folders whose sentences reach the console. */
const SOURCES = ['core', 'plugins'];
const COMMENTS = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
const PLACEHOLDER = /\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g;
const LITERALS = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;

async function literals(): Promise<Set<string>> {
  const found = new Set<string>();
  for (const folder of SOURCES)
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.ts') || entry.parentPath.includes('/app')) continue;
      const source = (await readFile(`${entry.parentPath}/${entry.name}`, 'utf8')).replace(COMMENTS, '');
      for (const [, single, double, template] of source.matchAll(LITERALS))
        found.add((single ?? double ?? template ?? '').replace(PLACEHOLDER, '{}').replaceAll("\\'", "'"));
    }
  return found;
}

/** Jobs that ended before an update have them, and older processes write them beside this version. */
const FORMER: readonly string[] = ['An internal error ended it; see the log of the service.'];

describe('German for sentences of the server', () => {
  const words = translator(SENTENCES);
  const translate = (sentence: string) =>
    words(sentence)
      ?.map(({ text }) => text)
      .join('');

  it('is of sentences that the server writes', async () => {
    const written = await literals();
    expect(
      FORMER.filter((sentence) => !(sentence in SENTENCES)),
      'without a translation',
    ).to.deep.equal([]);
    const sentences = Object.keys(SENTENCES).filter(
      (sentence) => /[.}]$/.test(sentence) && / .* /.test(sentence),
    );
    expect(sentences.length).to.be.at.least(100);
    const phrases = /^(?:at (?:most|least)|exactly) |^the [a-z ]*'\{\}'$/;
    expect(
      sentences.filter(
        (sentence) => !written.has(sentence) && !FORMER.includes(sentence) && !phrases.test(sentence),
      ),
      'not in the sources any more',
    ).to.deep.equal([]);
  });

  it('has every part that the sentence varies in', () => {
    for (const [sentence, translation] of Object.entries(SENTENCES)) {
      const count = sentence.split('{}').length - 1;
      const used = [...translation.matchAll(/\{(\d)!?\}/g)].map(([, index]) => Number(index));
      expect([...new Set(used)].sort(), sentence).to.deep.equal(
        Array.from({ length: count }, (_, index) => index + 1),
      );
    }
  });

  it('translates each line like a single sentence, and marks those that it does not know', () => {
    expect(words("The name must not be empty.\nThere is no type 'a'.\nThere is no type 'b'.")).to.deep.equal([
      {
        text: 'Der Name darf nicht leer sein.\nEs gibt keinen Typ „a“.\nEs gibt keinen Typ „b“.',
      },
    ]);
    expect(
      words('The name must not be empty.\n\nSomething else.\nA mail address is expected.'),
    ).to.deep.equal([
      { text: 'Der Name darf nicht leer sein.\n\n' },
      { text: 'Something else.', lang: 'en' },
      { text: '\nEine Mailadresse wird erwartet.' },
    ]);
    expect(words("There is no type 'a\nb'.")).to.deep.equal([{ text: 'Es gibt keinen Typ „a\nb“.' }]);
    expect(words('Something else.\nAnd more.')).to.equal(undefined);
  });

  it('translates the reason of a job that was refused for several things', () => {
    const issues = Array.from({ length: 12 }, (_, at) => ({ message: `There is no type '${at}'.` }));
    const reason = reasonOf(
      new ServiceError('invalidBody', 'The body is not valid. See validation_errors for what to change.', {
        validationErrors: issues,
      }),
    );
    expect(translate(reason))
      .to.match(/Typ „0“\.\n.*Typ „9“\.\n… und 2 weitere\.$/s)
      .and.not.match(/There|more/);
    expect(words(reason)!.every(({ lang }) => lang === undefined)).to.equal(true);
  });

  it('translates sentences in sentences', () => {
    const sentence =
      "In the component '0badcafe', element 'Heading': There are 12 words, at most 5 are expected.";
    expect(translate(sentence)).to.equal(
      'In der Komponente „0badcafe“, Element „Heading“: Es sind 12 Wörter, erwartet: höchstens 5.',
    );
    expect(translate('There are 2 assets, at least 3 are expected.')).to.equal(
      'Es sind 2 Dateien, erwartet: mindestens 3.',
    );
    expect(translate('There is 1 item, exactly 2 are expected.')).to.equal(
      'Es ist 1 Inhalt, erwartet: genau 2.',
    );
    expect(
      translate(
        'The plan is out of date: other webhooks would be called; what readers would notice elsewhere is different. Nothing was done; look at the plan again.',
      ),
    ).to.match(/^Der Plan ist überholt: andere Webhooks .*; an anderen Stellen/);
  });

  it('translates why an address cannot sign in', () => {
    expect(
      translate(
        "Too many wrong passwords, keys or tokens came from this address, so signing in is not accepted from it for another 60 s; 'headwater unblock 192.0.2.7' on the machine of the service ends that now.",
      ),
    ).to.equal(
      'Von dieser Adresse kamen zu viele falsche Passwörter, Schlüssel oder Token: Das Anmelden ist von dort noch 60 s gesperrt. Auf dem Rechner des Dienstes beendet „headwater unblock 192.0.2.7“ das sofort.',
    );
  });

  it('knows why a notification was not sent', async () => {
    const codes = [
      'ECONNREFUSED',
      'EPIPE',
      'ENETUNREACH',
      'ENOTFOUND',
      'EAI_AGAIN',
      'EMFILE',
      'ERR_INVALID_URL',
    ];
    const others = ['HPE_INVALID_CONSTANT', 'CERT_HAS_EXPIRED', 'EPROTO', 'ENEW', ''];
    const guard = new AddressGuard([], () => Promise.resolve([{ address: '10.0.0.5', family: 4 }]));
    const refused = [
      'http://hooks.example.org',
      'http://10.0.0.5',
      'http://a:b@hooks.example.org',
      'ftp://a',
    ];
    const reasons = refused.map((url) => guard.pin(new URL(url)).then(() => 'sent', attemptError));
    const sentences = [...codes, ...others].map((code) => attemptError({ code }));
    for (const sentence of [...sentences, ...(await Promise.all(reasons))])
      expect(
        words(sentence)?.map(({ lang }) => lang),
        sentence,
      ).to.deep.equal([undefined]);
  });

  it('marks a part as English that it does not know', () => {
    expect(words("The element 'Title': Something new is wrong.")).to.deep.equal([
      { text: 'Das Element „Title“: ' },
      { text: 'Something new is wrong.', lang: 'en' },
    ]);
    expect(
      words(
        'The plan is out of date: other webhooks would be called; it is late. Nothing was done; look at the plan again.',
      ),
    ).to.deep.equal([
      { text: 'Der Plan ist überholt: andere Webhooks würden aufgerufen; ' },
      { text: 'it is late', lang: 'en' },
      { text: '. Nichts wurde getan; sehen Sie den Plan noch einmal an.' },
    ]);
  });

  it('knows every state of a job', () => {
    for (const state of JOB_STATES)
      for (const sentence of [`The job is ${state} already.`, `The act is ${state} already.`])
        expect(
          words(sentence)?.filter(({ lang }) => lang === 'en'),
          sentence,
        ).to.deep.equal([]);
  });

  it('translates what is wrong with the address of a list', () => {
    for (const sentence of [
      "'limit' must be a whole number from 1 to 100.",
      "'after' must be the 'next' of a page of this listing.",
      "'since' must be an ISO 8601 date and time.",
      "There is no taxonomy group with the id 'x'.",
      "You have no session with the id 'x'.",
    ])
      expect(translate(sentence), sentence).to.match(
        /muss|gibt keine Taxonomie mit der Id „x“|keine Sitzung/,
      );
  });

  it('translates how references are described', () => {
    for (const [reference, german] of [
      [{ id: 'x' }, 'der Id „x“'],
      [{ codename: 'x' }, 'dem Codenamen „x“'],
      [{ external_id: 'x' }, 'der externen Id „x“'],
      [{}, 'dieser Angabe'],
    ] as const)
      expect(translate(`There is no asset with ${describeReference(reference)}.`)).to.equal(
        `Es gibt keine Datei mit ${german}.`,
      );
  });

  it('leaves what it does not know, and texts of people, as they are', () => {
    expect(translate('Something new went wrong.')).to.equal(undefined);
    expect(translate("The codename '$& {1!} {2}' is taken.")).to.equal(
      'Der Codename „$& {1!} {2}“ ist vergeben.',
    );
  });

  it('takes no time for sentences that were made to match slowly', () => {
    const repeated = (...texts: string[]) => texts.map((text) => text.repeat(600 / text.length)).join('');
    const hostile = [
      `The image '${"' is 1 pixels ".repeat(140)}`,
      `The image '${repeated("' is ", ' pixels ', ', ')}`,
      `The element '${repeated("' of '", "' (", '): ')}`,
    ];
    const began = performance.now();
    for (const sentence of hostile) for (let count = 0; count < 20; count += 1) translate(sentence);
    expect(performance.now() - began).to.be.lessThan(500);
  });
});
