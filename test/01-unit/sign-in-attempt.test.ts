/** What a browser keeps while its person is at an OpenID provider. */
import { expect } from 'chai';
import { AttemptSeal, type SignInAttempt } from '../../plugins/session/sign-in-attempt.ts';

describe('a sealed attempt to sign in', () => {
  const attempt: SignInAttempt = {
    state: 'state',
    nonce: 'nonce',
    verifier: 'verifier',
    to: '/projects',
    isFresh: false,
    began: 1_000_000,
  };
  const sealed = new AttemptSeal('secret').seal(attempt);

  it('is opened by any gateway with the same secret, also where its clock is behind', () => {
    for (const later of [599_999, -5000])
      expect(new AttemptSeal('secret').open(sealed, attempt.began + later)).to.deep.equal(attempt);
  });

  it('is not opened after ten minutes, as long before its beginning, with another secret, or changed', () => {
    const seal = new AttemptSeal('secret');
    for (const later of [600_000, -600_000])
      expect(seal.open(sealed, attempt.began + later)).to.equal(undefined);
    expect(new AttemptSeal('other').open(sealed, attempt.began)).to.equal(undefined);
    const [text = '', signature = ''] = sealed.split('.');
    const other = Buffer.from(JSON.stringify({ ...attempt, to: '/other' })).toString('base64url');
    for (const changed of [undefined, '', '.', text, `${other}.${signature}`, `${text}.`, 'x'.repeat(5000)])
      expect(seal.open(changed, attempt.began), changed).to.equal(undefined);
  });
});
