import { expect } from 'chai';
import { parseCoreAddress } from '../../config/core-address.ts';

describe('the address of a core', () => {
  const tcp = { kind: 'tcp', tls: false, every: false };
  const valid: readonly [text: string, expected: object][] = [
    ['core-1.internal:8091', { ...tcp, host: 'core-1.internal', port: 8091 }],
    ['10.0.0.5:1', { ...tcp, host: '10.0.0.5', port: 1 }],
    ['[fd00::5]:8091', { ...tcp, host: 'fd00::5', port: 8091 }],
    ['https://core-1:443', { ...tcp, host: 'core-1', port: 443, tls: true }],
    ['cores.internal', { ...tcp, host: 'cores.internal', port: 8091, every: true }],
    ['unix:/run/headwater/core.sock', { kind: 'unix', path: '/run/headwater/core.sock' }],
  ];
  for (const [text, expected] of valid) {
    it(`can be ${text}`, () => expect(parseCoreAddress(text)).to.deep.equal(expected));
  }
});
