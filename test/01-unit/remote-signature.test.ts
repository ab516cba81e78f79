import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { proofOf, type SignedCall, sign, verify } from '../../core/remote/protocol/signature.ts';

const SECRET = 'a-secret-of-gateways-and-cores-0123456789';
const CALL: SignedCall = {
  core: '11111111-1111-4111-8111-111111111111',
  caller: '22222222-2222-4222-8222-222222222222',
  path: '/requests',
  head: '{"method":"GET"}',
  number: 12,
  time: 1_795_000_000_000,
};

describe('the signature of a call', () => {
  it('is verified with the same secret, and shows what it covers', () => {
    expect(verify(SECRET, sign(SECRET, CALL), CALL)).to.deep.equal(CALL);
  });

  it('is an HMAC-SHA-256 of the fields in lines', () => {
    const { core, caller, number, time, path, head } = CALL;
    const lines = [core, caller, number, time, path, head].join('\n');
    const mac = createHmac('sha256', SECRET).update(lines).digest('base64url');
    expect(sign(SECRET, CALL)).to.equal(`${core}.${caller}.${number}.${time}.${mac}`);
  });

  it('is not valid with another secret, path or head', () => {
    const signature = sign(SECRET, CALL);
    expect(verify(`${SECRET}x`, signature, CALL)).to.equal(undefined);
    expect(verify(SECRET, signature, { ...CALL, path: '/feed' })).to.equal(undefined);
    expect(verify(SECRET, signature, { ...CALL, head: '{}' })).to.equal(undefined);
  });

  it('is not valid with any other character', () => {
    const signature = sign(SECRET, CALL);
    for (let at = 0; at < signature.length; at++) {
      const other = signature[at] === '1' ? '2' : '1';
      const changed = signature.slice(0, at) + other + signature.slice(at + 1);
      expect(verify(SECRET, changed, CALL), changed).to.equal(undefined);
    }
  });

  for (const text of [undefined, '', '.', '....', `${sign(SECRET, CALL)}.`, ` ${sign(SECRET, CALL)}`])
    it(`is not ${JSON.stringify(text)?.slice(0, 20)}`, () => {
      expect(verify(SECRET, text, CALL)).to.equal(undefined);
    });

  it('cannot be made of the proof of a hello', () => {
    const hello = { core: CALL.core, protocols: [1], stopping: false };
    const proof = proofOf(SECRET, 'x'.repeat(36), hello);
    expect(sign(SECRET, CALL)).to.not.include(proof);
    expect(proofOf(SECRET, 'x'.repeat(36), { ...hello, stopping: true })).to.not.equal(proof);
    expect(proofOf(SECRET, 'y'.repeat(36), hello)).to.not.equal(proof);
  });
});
