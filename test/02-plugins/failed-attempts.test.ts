import { expect } from 'chai';
import { Registry } from 'prom-client';
import { ServiceError } from '../../core/contract.ts';
import { makeMetrics } from '../../gateway/pipeline/plugin-services.ts';
import type { AttemptSettings, ClientFacet } from '../../plugins/contract.ts';
import { addressGroup, plainAddress } from '../../plugins/counters/client-address.ts';
import { AttemptCounter } from '../../plugins/counters/failed-attempts.ts';
import { ADMIN_TOKEN, json, PROJECTS } from '../support/gateway/fake-core.ts';
import { type LogLine, memoryLog, runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';

const client = (address: string, loopback = false): ClientFacet => ({
  address,
  loopback,
  viaTrustedProxy: false,
  scheme: 'https',
});
const refused = new ServiceError('unauthorized', 'No.');

describe('failed attempts of an address', () => {
  function setUp(more: Partial<AttemptSettings> = {}) {
    let now = 0;
    const lines: LogLine[] = [];
    const attempts = new AttemptCounter({
      clock: { now: () => new Date(0), monotonic: () => now },
      log: memoryLog(lines)('auth'),
      metrics: makeMetrics('auth', new Registry()),
    });
    attempts.adopt({ perMinute: 6, blockSeconds: 100, loopback: false, addresses: 3, ...more });
    const fail = (from: ClientFacet) => attempts.refusal(from, refused);
    const isBlocked = (address: string) => {
      try {
        attempts.refuseBlocked(client(address));
        return false;
      } catch (error) {
        expect(error).to.include({ status: 429, code: 10000 });
        return true;
      }
    };
    const block = (address: string) => {
      for (let at = 0; at < 6; at += 1) fail(client(address));
    };
    return { attempts, lines, fail, isBlocked, block, pass: (seconds: number) => (now += seconds * 1000) };
  }

  it('block it when there were too many, for a while that the answer names', () => {
    const { attempts, fail, isBlocked, pass, lines } = setUp();
    for (let at = 0; at < 6; at += 1) {
      expect(isBlocked('198.51.100.1')).to.equal(false);
      expect(fail(client('198.51.100.1'))).to.equal(refused);
    }
    expect(isBlocked('198.51.100.1')).to.equal(true);
    expect(isBlocked('198.51.100.2')).to.equal(false);
    pass(40.5);
    const answer = fail(client('198.51.100.1'));
    expect(answer).to.include({ status: 429, code: 10000 });
    expect(answer.headers).to.deep.equal({ 'retry-after': '60' });
    expect(() => attempts.refuseBlocked(client('198.51.100.1'))).to.throw("'headwater unblock 198.51.100.1'");
    pass(59.4);
    expect(isBlocked('198.51.100.1')).to.equal(true);
    pass(0.1);
    expect(isBlocked('198.51.100.1')).to.equal(false);
    expect(fail(client('198.51.100.1'))).to.equal(refused);
    expect(lines.map(({ level, fields }) => [level, fields])).to.deep.equal([
      ['warn', { client: '198.51.100.1', seconds: 100 }],
    ]);
  });

  it('that continue while it is blocked extend neither the block nor the log', () => {
    const { fail, isBlocked, block, pass, lines } = setUp();
    block('198.51.100.1');
    for (let at = 0; at < 99; at += 1) {
      pass(1);
      expect(fail(client('198.51.100.1')).status).to.equal(429);
    }
    pass(1);
    expect(isBlocked('198.51.100.1')).to.equal(false);
    expect(lines).to.have.lengthOf(1);
  });

  it('that come slowly are only counted', () => {
    const { fail, pass } = setUp();
    for (let at = 0; at < 100; at += 1) {
      expect(fail(client('198.51.100.1'))).to.equal(refused);
      pass(10);
    }
  });

  it('of clients on this machine are not counted, unless the settings include them', () => {
    const open = setUp();
    for (let at = 0; at < 100; at += 1) expect(open.fail(client('127.0.0.1', true))).to.equal(refused);
    for (let at = 0; at < 7; at += 1) open.fail(client('127.0.0.1', false));
    expect(open.fail(client('127.0.0.1', false)).status).to.equal(429);
    expect(open.fail(client('127.0.0.1', true))).to.equal(refused);
    open.attempts.refuseBlocked(client('127.0.0.1', true));
    const counted = setUp({ loopback: true });
    for (let at = 0; at < 6; at += 1) counted.fail(client('127.0.0.1', true));
    expect(counted.fail(client('127.0.0.1', true)).status).to.equal(429);
  });

  it('are not counted at all with 0', () => {
    const { fail } = setUp({ perMinute: 0 });
    for (let at = 0; at < 100; at += 1) expect(fail(client('198.51.100.1'))).to.equal(refused);
  });

  it('take their memory from a bounded number of addresses, and counts displace no block', () => {
    const { fail, isBlocked, block, pass } = setUp();
    block('198.51.100.1');
    for (let at = 0; at < 1000; at += 1) fail(client(`2001:db8:${at.toString(16)}::1`));
    expect(isBlocked('198.51.100.1')).to.equal(true);
    pass(1);
    for (const last of [2, 3]) block(`198.51.100.${last}`);
    expect(['1', '2', '3'].map((last) => isBlocked(`198.51.100.${last}`))).to.deep.equal([true, true, true]);
    block('198.51.100.4');
    expect(['1', '2', '3', '4'].map((last) => isBlocked(`198.51.100.${last}`))).to.deep.equal([
      false,
      true,
      true,
      true,
    ]);
  });

  it('are reset, and their block ends, by the command of the operator', () => {
    const { attempts, fail, isBlocked, block, pass } = setUp();
    block('198.51.100.1');
    block('2001:db8:0:7::1');
    expect(attempts.unblock('198.51.100.9')).to.equal(false);
    expect(attempts.unblock('::ffff:198.51.100.1')).to.equal(true);
    expect(attempts.unblock('198.51.100.1')).to.equal(false);
    expect(isBlocked('198.51.100.1')).to.equal(false);
    expect(attempts.unblock('2001:DB8:0000:7:ffff::')).to.equal(true);
    for (let at = 0; at < 5; at += 1) fail(client('198.51.100.1'));
    expect(attempts.unblock('198.51.100.1')).to.equal(false);
    for (let at = 0; at < 5; at += 1) fail(client('198.51.100.1'));
    expect(isBlocked('198.51.100.1')).to.equal(false);
    block('198.51.100.1');
    pass(100);
    expect(attempts.unblock('198.51.100.1')).to.equal(false);
  });

  it('count an IPv4 address in all its forms as one, and the /64 network of an IPv6 address', () => {
    expect(plainAddress('::FFFF:192.0.2.7')).to.equal('192.0.2.7');
    expect(plainAddress('[::ffff:c000:207]')).to.equal('192.0.2.7');
    expect(plainAddress('fe80::1%eth0')).to.equal('fe80::1');
    expect(plainAddress('2001:0DB8:0:0::0:1')).to.equal('2001:db8::1');
    for (const none of ['', 'localhost', '192.0.2', '192.0.2.7:80', '2001:db8::/64', '::g', '1.2.3.4.5'])
      expect(plainAddress(none), none).to.equal(undefined);
    expect(addressGroup('2001:db8:0:7::1')).to.equal('2001:db8:0:7::/64');
    expect(addressGroup('2001:0db8:0:7:ffff::2:3')).to.equal('2001:db8:0:7::/64');
    expect(addressGroup('2001:db8::7:0:0:0:1')).to.equal('2001:db8:0:7::/64');
    expect(addressGroup('2001:db8:0:8::1')).to.not.equal(addressGroup('2001:db8:0:7::1'));
    expect(addressGroup('1:2:3:4:5:6:7:8')).to.equal('1:2:3:4::/64');
    expect(addressGroup('64:ff9b::192.0.2.7')).to.equal('64:ff9b::/64');
    expect(addressGroup('::1')).to.equal('::/64');
    expect(addressGroup('192.0.2.7')).to.equal('192.0.2.7');
    expect(addressGroup('')).to.equal('');
  });

  it('look further tokens up one after the other, and let a right one through', async () => {
    const { attempts, block } = setUp();
    block('198.51.100.1');
    let running = 0;
    let most = 0;
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return 'key';
    };
    const asked = Array.from({ length: 150 }, () => attempts.lookUp(client('198.51.100.1'), work));
    const settled = await Promise.allSettled(asked);
    expect(most).to.equal(1);
    expect(settled.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(100);
    most = 0;
    await Promise.all(Array.from({ length: 10 }, () => attempts.lookUp(client('198.51.100.9'), work)));
    expect(most).to.equal(10);
    const failing = () => Promise.reject(new Error('gone'));
    await attempts.lookUp(client('198.51.100.1'), failing).catch(() => {});
    expect(await attempts.lookUp(client('198.51.100.1'), work)).to.equal('key');
  });
});

describe('guessing keys', () => {
  let gateway: TestGateway;
  const PLUGINS = { auth: { failures: { perMinute: 3, blockSeconds: 40 } } };
  const SETTINGS = { trustedProxies: ['127.0.0.1'] };
  before(async () => {
    gateway = await runGateway({ settings: SETTINGS, plugins: PLUGINS });
    gateway.core.answer = () => json({});
  });
  after(() => gateway.end());

  const ask = (path: string, key: string, from = '203.0.113.5') =>
    fetch(gateway.urls.http + path, {
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        'x-forwarded-for': from,
        'x-forwarded-proto': 'https',
      },
    });
  const status = async (...given: Parameters<typeof ask>) => (await ask(...given)).status;
  const KEYED: readonly [path: string, key: string][] = [
    [`/preview/${PROJECTS.open}/items`, 'open-preview-primary'],
    [`/delivery/${PROJECTS.secured}/items`, 'secured-delivery-primary'],
    [`/manage/v2/projects/${PROJECTS.open}/items`, 'open-management'],
  ];
  const ADMINISTRATIVE = ['/admin/projects', '/health', '/metrics'];
  let next = 10;
  const newAddress = () => {
    next += 1;
    return `203.0.113.${next}`;
  };

  for (const [path, key] of KEYED) {
    it(`on ${path.split('/')[1]} ends in 429, in the error shape of the surface, and right keys pass`, async () => {
      const from = newAddress();
      for (let guess = 0; guess < 3; guess += 1) {
        expect(await status(path, `guess-${guess}`, from)).to.equal(401);
      }
      const answer = await ask(path, 'guess-next', from);
      const body = (await answer.json()) as Record<string, unknown>;
      expect([answer.status, body['error_code']]).to.deep.equal([429, 10000]);
      expect(Number(answer.headers.get('retry-after'))).to.be.within(1, 40);
      expect('specific_code' in body).to.equal(/^\/(preview|delivery)/.test(path));
      expect(await status(path, key, from)).to.equal(200);
      expect(await status(path, 'guess', newAddress())).to.equal(401);
    });
  }

  for (const path of ADMINISTRATIVE) {
    it(`on ${path} blocks the address: the right token is refused as well, and it is said how to end that`, async () => {
      const from = newAddress();
      for (let guess = 0; guess < 3; guess += 1) expect(await status(path, 'guess', from)).to.equal(401);
      for (const key of ['guess', ADMIN_TOKEN]) {
        const answer = await ask(path, key, from);
        const body = (await answer.json()) as Record<string, unknown>;
        expect([answer.status, body['error_code']]).to.deep.equal([429, 10000]);
        expect(Number(answer.headers.get('retry-after'))).to.be.within(1, 40);
        expect(body['message']).to.include(`headwater unblock ${from}`);
      }
      expect(await status(path, ADMIN_TOKEN, newAddress())).to.equal(200);
      expect(await status('/health/ready', '', from)).to.equal(200);
      expect(gateway.unblock(from)).to.equal(true);
      expect(await status(path, ADMIN_TOKEN, from)).to.equal(200);
    });
  }

  it('is one count over all surfaces', async () => {
    const paths = [...ADMINISTRATIVE, ...KEYED.map(([path]) => path)];
    for (const first of paths) {
      const from = newAddress();
      const other = paths[(paths.indexOf(first) + 1) % paths.length]!;
      for (const path of [first, other, first]) expect(await status(path, 'guess', from)).to.equal(401);
      for (const path of ADMINISTRATIVE) expect(await status(path, ADMIN_TOKEN, from), path).to.equal(429);
      for (const [path, key] of KEYED) {
        expect(await status(path, 'guess', from), path).to.equal(429);
        expect(await status(path, key, from), path).to.equal(200);
      }
    }
  });

  it('outlives a reload, and clients on this machine are exempt', async () => {
    const from = newAddress();
    for (let guess = 0; guess < 3; guess += 1) await ask('/health', 'guess', from);
    await gateway.reloadWith({ settings: SETTINGS, plugins: PLUGINS });
    expect(await status('/health', ADMIN_TOKEN, from)).to.equal(429);
    for (let guess = 0; guess < 10; guess += 1) {
      expect(await status('/admin/projects', 'guess', '127.0.0.1')).to.equal(401);
    }
    expect(await status('/admin/projects', ADMIN_TOKEN, '127.0.0.1')).to.equal(200);
  });

  it('from all addresses of one IPv6 network counts together', async () => {
    for (let guess = 1; guess <= 3; guess += 1) {
      expect(await status('/health', 'guess', `2001:db8:0:9::${guess}`)).to.equal(401);
    }
    expect(await status('/health', ADMIN_TOKEN, '2001:db8:0:9:ffff:ffff:ffff:ffff')).to.equal(429);
    expect(await status('/health', ADMIN_TOKEN, '2001:db8:0:a::1')).to.equal(200);
  });

  it('is not what a missing header or a key of another project is', async () => {
    const path = `/manage/v2/projects/${PROJECTS.secured}/items`;
    const from = newAddress();
    for (let at = 0; at < 10; at += 1) {
      expect((await ask(path, 'open-management', from)).status).to.equal(403);
      expect((await ask(path, '', from)).status).to.equal(401);
    }
    for (const place of ADMINISTRATIVE) expect(await status(place, '', from)).to.equal(401);
    expect((await ask(path, 'wrong', from)).status).to.equal(401);
  });
});
