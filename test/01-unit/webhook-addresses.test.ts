import { isIPv6 } from 'node:net';
import { expect } from 'chai';
import { AddressGuard } from '../../core/webhooks/send/address-guard.ts';
import { publicUrls, REFUSED_NAMES, refusedUrls } from '../support/webhooks/address-corpus.ts';

const found = (addresses: readonly string[]) => async () =>
  addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));

/** The refusal of a URL as typed; undefined when it is permitted. */
async function refusalOf(url: string, guard: AddressGuard): Promise<string | undefined> {
  try {
    await guard.pin(new URL(url));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the address guard', () => {
  const guard = new AddressGuard([], found(['93.184.215.14']));

  it('refuses every textual form of a private address', async () => {
    const urls = refusedUrls();
    expect(new Set(urls).size).to.be.at.least(400);
    const permitted: string[] = [];
    for (const url of urls) if ((await refusalOf(url, guard)) === undefined) permitted.push(url);
    expect(permitted).to.deep.equal([]);
  });

  it('refuses names with a private address, also beside public ones', async () => {
    const permitted: string[] = [];
    for (const [host, addresses] of REFUSED_NAMES) {
      const own = new AddressGuard([], found(addresses));
      if ((await refusalOf(`http://${host}/`, own)) === undefined) permitted.push(host);
    }
    expect(permitted).to.deep.equal([]);
  });

  it('permits public targets', async () => {
    const urls = publicUrls();
    expect(new Set(urls).size).to.be.at.least(100);
    const refused: string[] = [];
    for (const url of urls) {
      const message = await refusalOf(url, guard);
      if (message !== undefined) refused.push(`${url}: ${message}`);
    }
    expect(refused).to.deep.equal([]);
  });

  it('permits what the operator lists, by host, domain, address or range, and nothing else', async () => {
    const listed = new AddressGuard(
      ['localhost', '*.internal', '10.1.0.0/16', '192.168.0.7', 'fd00::/8'],
      async (host) => [{ address: host === 'six.example' ? 'fd00::1' : '127.0.0.1', family: 4 }],
    );
    for (const host of [
      'localhost',
      'LOCALHOST.',
      'a.internal',
      '10.1.2.3',
      '192.168.0.7',
      '[fd00::7]',
      '[::ffff:10.1.0.1]',
    ])
      expect(await refusalOf(`http://${host}:3000/`, listed), host).to.equal(undefined);
    for (const host of [
      'internal',
      'xinternal',
      'localhost.example',
      '10.2.0.1',
      '192.168.0.8',
      '127.0.0.1',
      '[::1]',
    ])
      expect(await refusalOf(`http://${host}:3000/`, listed), host).to.be.a('string');
  });

  it('says how to permit a refused target', async () => {
    const local = new AddressGuard([], found(['127.0.0.1']));
    expect(await refusalOf('http://localhost:3000/', local)).to.equal(
      'localhost has the address 127.0.0.1, which is not on the public internet. To send there, add the host, address or range to the setting webhooks.allow.',
    );
  });

  it('resolves the host every time, and returns exactly the addresses it checked', async () => {
    const answers = [['93.184.215.14'], ['127.0.0.1'], ['93.184.215.15', '2606:4700::1111']];
    const changing = new AddressGuard([], (_) => found(answers.shift() ?? [])());
    const url = new URL('http://changing.example/');
    expect(await changing.pin(url)).to.deep.equal([{ address: '93.184.215.14', family: 4 }]);
    expect(await refusalOf(url.href, changing)).to.contain('127.0.0.1');
    expect((await changing.pin(url)).map(({ address }) => address)).to.deep.equal([
      '93.184.215.15',
      '2606:4700::1111',
    ]);
  });
});
