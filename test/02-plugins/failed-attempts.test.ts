import { expect } from 'chai';
import { ServiceError } from '../../core/contract.ts';
import { addressGroup } from '../../plugins/auth/address-group.ts';
import { FailedAttempts } from '../../plugins/auth/failed-attempts.ts';
import type { ClientFacet } from '../../plugins/contract.ts';
import { json, PROJECTS } from '../support/fake-core.ts';
import { runGateway, type TestGateway } from '../support/run-gateway.ts';

const client = (address: string, loopback = false): ClientFacet => ({
  address,
  loopback,
  viaTrustedProxy: false,
  scheme: 'https',
});
const refused = new ServiceError('unauthorized', 'No.');

describe('failed attempts of an address', () => {
  function setUp(more: Partial<ConstructorParameters<typeof FailedAttempts>[0]> = {}) {
    let now = 0;
    const told: string[] = [];
    const attempts = new FailedAttempts(
      { perMinute: 6, loopback: false, addresses: 3, ...more },
      { now: () => new Date(0), monotonic: () => now },
      (address) => told.push(address),
    );
    const fail = (from: ClientFacet) => attempts.refusal(from, refused);
    return { attempts, told, fail, pass: (seconds: number) => (now += seconds * 1000) };
  }

  it('are told to wait when there were too many, and for how long', () => {
    const { fail, pass, told } = setUp();
    for (let at = 0; at < 6; at += 1) expect(fail(client('198.51.100.1'))).to.equal(refused);
    expect(told).to.deep.equal(['198.51.100.1']);
    const answer = fail(client('198.51.100.1'));
    expect(answer).to.include({ status: 429, code: 10000 });
    expect(answer.headers).to.deep.equal({ 'retry-after': '10' });
    pass(7.5);
    expect(fail(client('198.51.100.1')).headers).to.deep.equal({ 'retry-after': '3' });
    pass(2.5);
    expect(fail(client('198.51.100.1'))).to.equal(refused);
    expect(fail(client('198.51.100.1')).status).to.equal(429);
    expect(fail(client('198.51.100.2'))).to.equal(refused);
  });

  it('are one line in the log for as long as they go on', () => {
    const { fail, pass, told } = setUp();
    for (let at = 0; at < 100; at += 1) {
      fail(client('198.51.100.1'));
      pass(5);
    }
    expect(told).to.have.lengthOf(1);
    pass(60);
    for (let at = 0; at < 6; at += 1) fail(client('198.51.100.1'));
    expect(told).to.have.lengthOf(2);
  });

  it('of clients on this machine are not counted, unless the settings say so', () => {
    const open = setUp();
    for (let at = 0; at < 100; at += 1) expect(open.fail(client('127.0.0.1', true))).to.equal(refused);
    for (let at = 0; at < 7; at += 1) open.fail(client('127.0.0.1', false));
    expect(open.fail(client('127.0.0.1', false)).status).to.equal(429);
    expect(open.fail(client('127.0.0.1', true))).to.equal(refused);
    const counted = setUp({ loopback: true });
    for (let at = 0; at < 6; at += 1) counted.fail(client('127.0.0.1', true));
    expect(counted.fail(client('127.0.0.1', true)).status).to.equal(429);
  });

  it('are not counted at all with 0', () => {
    const { fail } = setUp({ perMinute: 0 });
    for (let at = 0; at < 100; at += 1) expect(fail(client('198.51.100.1'))).to.equal(refused);
  });

  it('take their memory from a bounded number of addresses', () => {
    const { fail } = setUp();
    for (let at = 0; at < 7; at += 1) fail(client('198.51.100.1'));
    for (const last of [2, 3, 4]) fail(client(`198.51.100.${last}`));
    expect(fail(client('198.51.100.1'))).to.equal(refused);
  });

  it('count the /64 network of an IPv6 address as one', () => {
    expect(addressGroup('2001:db8:0:7::1')).to.equal(addressGroup('2001:0db8:0:7:ffff::2:3'));
    expect(addressGroup('2001:db8:0:7::1')).to.not.equal(addressGroup('2001:db8:0:8::1'));
    expect(addressGroup('2001:db8::7:0:0:0:1')).to.equal('2001:db8:0:7');
    expect(addressGroup('::1')).to.equal('0:0:0:0');
    expect(addressGroup('192.0.2.7')).to.equal('192.0.2.7');
    expect(addressGroup('')).to.equal('');
  });

  it('look further tokens up one after the other, and let a right one through', async () => {
    const { attempts, fail } = setUp();
    for (let at = 0; at < 7; at += 1) fail(client('198.51.100.1'));
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
  before(async () => {
    gateway = await runGateway({
      settings: { trustedProxies: ['127.0.0.1'] },
      plugins: { auth: { failures: { perMinute: 3 } } },
    });
    gateway.core.answer = () => json({});
  });
  after(() => gateway.end());

  const ask = (path: string, key: string, from = '203.0.113.5') =>
    fetch(gateway.urls.http + path, {
      headers: {
        authorization: `Bearer ${key}`,
        'x-forwarded-for': from,
        'x-forwarded-proto': 'https',
      },
    });
  const places: readonly [path: string, key: string][] = [
    [`/preview/${PROJECTS.open}/items`, 'open-preview-primary'],
    [`/delivery/${PROJECTS.secured}/items`, 'secured-delivery-primary'],
    [`/manage/v2/projects/${PROJECTS.open}/items`, 'open-management'],
    ['/admin/projects', 'admin-token-of-the-tests'],
  ];
  for (const [at, [path, key]] of places.entries()) {
    it(`is slowed down on ${path.split('/')[1]}, in the error shape of the surface, and right keys pass`, async () => {
      const from = `203.0.113.${at + 10}`;
      for (let guess = 0; guess < 3; guess += 1) {
        expect((await ask(path, `guess-${at}-${guess}`, from)).status).to.equal(401);
      }
      const answer = await ask(path, `guess-${at}-next`, from);
      const body = (await answer.json()) as Record<string, unknown>;
      expect([answer.status, body['error_code']]).to.deep.equal([429, 10000]);
      expect(Number(answer.headers.get('retry-after'))).to.be.within(1, 20);
      expect('specific_code' in body).to.equal(/^\/(preview|delivery)/.test(path));
      expect((await ask(path, key, from)).status).to.equal(200);
      expect((await ask(path, `guess-${at}`, '203.0.113.99')).status).to.be.oneOf([401, 429]);
    });
  }

  it('is not what a missing header or a key of another project is', async () => {
    const path = `/manage/v2/projects/${PROJECTS.secured}/items`;
    for (let at = 0; at < 10; at += 1) {
      expect((await ask(path, 'open-management', '203.0.113.50')).status).to.equal(403);
      expect((await ask(path, '', '203.0.113.50')).status).to.equal(401);
    }
    expect((await ask(path, 'wrong', '203.0.113.50')).status).to.equal(401);
  });
});
