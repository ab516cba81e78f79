import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { StartError } from '../../config/start-error.ts';
import { ServiceError } from '../../core/errors.ts';
import { type Command, UsageError } from '../../gateway/cli/command.ts';
import { findCommand, parseCall } from '../../gateway/cli/command-line.ts';
import { commands } from '../../gateway/cli/commands/command-list.ts';
import { failureSentence } from '../../gateway/cli/failure.ts';
import { commandHelp, generalHelp } from '../../gateway/cli/help.ts';
import { openTerminal, table } from '../../gateway/cli/terminal.ts';
import { recordCommand } from '../../gateway/cli/with-core.ts';

const COMMANDS = join(import.meta.dirname, '../../gateway/cli/commands');
const terminal = { out: () => {}, err: () => {}, progress: () => {} };
const runnerFor = () => () => Promise.reject(new Error('no command is handed over in these tests'));
const command = (name: string, options: Command['options'] = {}): Command => ({
  name,
  summary: `Does ${name}.`,
  options,
  run: async () => 0,
});
const parse = (one: Command, words: string, environment: Record<string, string> = {}) =>
  parseCall(one, words.split(' '), { environment, terminal, runnerFor, folder: '/' });

describe('a command line', () => {
  const list = [command('serve'), command('project create'), command('project list')];

  it('names a command by one word or by two', () => {
    expect(findCommand(list, ['serve', '--port', '1']).name).to.equal('serve');
    expect(findCommand(list, ['project', 'list']).name).to.equal('project list');
  });

  it('is refused with the most similar command, or with those of the group', () => {
    expect(() => findCommand(list, ['sevre'])).to.throw(
      UsageError,
      "There is no command 'sevre'. Did you mean 'serve'?",
    );
    expect(() => findCommand(list, ['projects'])).to.throw(UsageError, "Did you mean 'project'?");
    expect(() => findCommand(list, ['project', 'lst'])).to.throw(UsageError, 'project create, project list');
    expect(() => findCommand(list, ['project'])).to.throw(
      UsageError,
      'Say which: project create, project list.',
    );
  });

  it('asks for the command first where a line begins with an option', () => {
    for (const words of [['-v'], ['--port', '9000'], ['--data-dir', '/data', 'project', 'list']])
      expect(() => findCommand(list, words)).to.throw(UsageError, 'Options come after the command');
    expect(findCommand(list, ['--quiet', 'serve']).name).to.equal('serve');
  });

  it('passes exactly the arguments that the command declares', () => {
    const unblock = { ...command('unblock'), arguments: ['ADDRESS'] };
    expect(parse(unblock, 'unblock 2001:db8::7 --port 1').arguments).to.deep.equal(['2001:db8::7']);
    expect(() => parse(unblock, 'unblock')).to.throw(UsageError, 'ADDRESS is missing.');
    expect(() => parse(unblock, 'unblock 1.2.3.4 5.6.7.8')).to.throw(
      UsageError,
      "'5.6.7.8' is one word too many.",
    );
    expect(commandHelp(unblock)[0]).to.equal('Usage: headwater unblock ADDRESS [options]');
  });

  it('passes options to the command and settings to the configuration', () => {
    const make = command('key create', {
      project: { value: 'ID', about: '' },
      json: { about: '' },
      user: { value: 'ID', about: '' },
    });
    const call = parse(
      make,
      'key create --project=abc --json --port 9 --set vendor.header=A,B --set surfaces.docs.hosts=[]',
    );
    expect(call.options).to.deep.equal({ project: 'abc' });
    expect([...call.switches]).to.deep.equal(['json']);
    expect(call.flags).to.deep.equal([
      { name: '--port', path: 'port', text: '9' },
      { name: '--set vendor.header', path: 'vendor.header', text: 'A,B' },
      { name: '--set surfaces.docs.hosts', path: 'surfaces.docs.hosts', text: '[]' },
    ]);
  });

  it('reads the folder of settings from --config, else from the environment', () => {
    const environment = { HEADWATER_CONFIG: '/etc/headwater' };
    expect(parse(list[0]!, 'serve').configFolder).to.equal(undefined);
    expect(parse(list[0]!, 'serve', environment).configFolder).to.equal('/etc/headwater');
    expect(parse(list[0]!, 'serve --config here', environment).configFolder).to.equal('here');
    expect(() => parse(list[0]!, 'serve --config=', environment)).to.throw(UsageError, '--config is empty.');
  });

  it('is refused for unknown, missing and surplus words', () => {
    const needy = command('needy', { id: { value: 'ID', about: '', required: true } });
    expect(() => parse(needy, 'needy')).to.throw(UsageError, '--id is missing.');
    expect(() => parse(needy, 'needy --ID 1')).to.throw(
      UsageError,
      "no option '--ID' here. Did you mean '--id'?",
    );
    expect(() => parse(needy, 'needy 7')).to.throw(
      UsageError,
      "'7' is one word too many. Did you mean '--id 7'?",
    );
    expect(commandHelp(needy)[0]).to.equal('Usage: headwater needy --id ID [options]');
    expect(() => parse(needy, 'needy --id 1 more')).to.throw(UsageError, "'more' is one word too many.");
    expect(() => parse(needy, 'needy --id')).to.throw(UsageError);
    expect(() => parse(needy, 'needy --id 1 --set port')).to.throw(
      UsageError,
      "--set needs PATH=VALUE, not 'port'.",
    );
  });
});

describe('the help', () => {
  it('lists every command with its summary', () => {
    const text = generalHelp(commands).join('\n');
    for (const { name, summary } of commands)
      expect(text).to.match(new RegExp(` ${name} +${summary.slice(0, 20)}`));
  });

  const sources = readdirSync(COMMANDS)
    .filter((file) => file !== 'command-list.ts')
    .map((file) => readFileSync(join(COMMANDS, file), 'utf8'));
  const nameIn = (source: string) => /^ {2}name: '(.+)',$/m.exec(source)?.[1];

  it('has every command of commands/', () => {
    expect(commands.map(({ name }) => name)).to.have.members(sources.map(nameIn));
  });

  it('lets a running service run every command that uses core', () => {
    const direct = sources.filter((one) => one.includes('withCore(') && !one.includes('onData: true'));
    expect(direct.map(nameIn)).to.deep.equal([]);
  });

  it('of a command lists each option', () => {
    for (const one of commands) {
      const text = commandHelp(one).join('\n');
      for (const option of Object.keys(one.options)) expect(text, one.name).to.include(`--${option}`);
      expect(text).to.include('--config FOLDER');
      expect(one.summary, one.name).to.match(/^[A-Z].*\.$/);
    }
  });
});

describe('what a command prints', () => {
  function capture(isTTY: boolean) {
    const written: string[] = [];
    const stream = (name: string) => ({ isTTY, write: (text: string) => written.push(`${name}:${text}`) });
    return { terminal: openTerminal(stream('out'), stream('err')), written };
  }

  it('replaces its progress line on a terminal, and ends it before other output', () => {
    const { terminal: screen, written } = capture(true);
    screen.progress('1 of 2');
    screen.progress('2 of 2');
    screen.out('done');
    expect(written).to.deep.equal(['err:\r\u001b[K1 of 2', 'err:\r\u001b[K2 of 2', 'err:\n', 'out:done\n']);
  });

  it('prints a progress line for each step where the output is no terminal', () => {
    const { terminal: pipe, written } = capture(false);
    pipe.progress('1 of 2');
    pipe.err('hm');
    expect(written).to.deep.equal(['err:1 of 2\n', 'err:hm\n']);
  });

  it('shows what would control a terminal, and keeps JSON valid', () => {
    const { terminal, written } = capture(true);
    terminal.out(JSON.stringify({ name: 'a\u009b2J' }));
    terminal.err('The name \u001b]0;x\u0007 is taken.\n\tStop.');
    expect(written).to.deep.equal([
      'out:{"name":"a\\u009b2J"}\n',
      'err:The name \\u001b]0;x\\u0007 is taken.\n\tStop.\n',
    ]);
  });

  it('has columns as wide as their widest cell', () => {
    expect(table([['a', 'b'], ['long', 'c', 'd'], ['x']])).to.deep.equal(['a     b', 'long  c  d', 'x']);
  });
});

describe('a failure', () => {
  const errno = (more: object) => Object.assign(new Error('inside'), more);

  it('is one sentence for errors that the operator can fix', () => {
    expect(failureSentence(new StartError('No.'))).to.equal('No.');
    expect(failureSentence(new ServiceError('conflict', 'Twice.'))).to.equal('Twice.');
    expect(failureSentence(errno({ code: 'ENOSPC', path: '/d/x' }))).to.equal('The disk of /d/x is full.');
    expect(failureSentence(errno({ code: 'ENOSPC', path: '/from/x', dest: '/to/x' }))).to.equal(
      'The disk of /to/x is full.',
    );
    expect(failureSentence(errno({ code: 'SQLITE_NOTADB' }))).to.match(/is not a database/);
    expect(failureSentence(errno({ code: 'EIO', syscall: 'open', path: '/d/x' }))).to.equal(
      '/d/x cannot be used: EIO.',
    );
  });

  it('is found as the cause of other errors', () => {
    const behind = new Error('outside', { cause: errno({ code: 'SQLITE_FULL' }) });
    expect(failureSentence(behind)).to.equal('The disk of the data folder is full.');
  });

  it('to enter a command that has done its work in the audit log is a warning with its reason', async () => {
    const warned: string[] = [];
    const own = { ...terminal, err: (line: string) => void warned.push(line) };
    for (const error of [
      new ServiceError('unavailable', 'The database does not answer.'),
      errno({ code: 'SQLITE_FULL' }),
      errno({ code: '42501' }),
    ])
      await recordCommand({ terminal: own }, { installation: () => Promise.reject(error) });
    const sentence = 'headwater: The audit log has no entry of this command: ';
    expect(warned).to.deep.equal([
      `${sentence}The database does not answer.`,
      `${sentence}The disk of the data folder is full.`,
      `${sentence}inside`,
    ]);
  });

  it('of the program itself has no sentence, so its stack is shown', () => {
    expect(failureSentence(new TypeError('x is not a function'))).to.equal(undefined);
    expect(failureSentence('thrown text')).to.equal(undefined);
  });
});

describe('the preparation', () => {
  const prepare = pathToFileURL(join(import.meta.dirname, '../../gateway/cli/prepare.mjs')).href;
  const runWith = (version: string) =>
    spawnSync(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `Object.defineProperty(process.versions, 'node', { value: '${version}' });
         const { prepare } = await import('${prepare}');
         process.exitCode = (await prepare()) ? 0 : 1;`,
      ],
      { encoding: 'utf8' },
    );

  it('refuses a Node that is too old in one sentence', () => {
    for (const version of ['18.20.4', '20.18.3']) {
      const { status, stderr } = runWith(version);
      expect(stderr).to.equal(`headwater: needs Node 20.19 or newer, and this is ${version}.\n`);
      expect(status).to.equal(1);
    }
  });

  it('prints and changes nothing where all is prepared', () => {
    for (const version of ['20.19.0', '22.1.0', '100.0.0']) {
      expect(runWith(version)).to.include({ status: 0, stderr: '', stdout: '' });
    }
  });
});
