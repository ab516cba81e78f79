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

  it('is opened by any gateway with the same secret', () => {
    expect(new AttemptSeal('secret').open(sealed, attempt.began + 599_999)).to.deep.equal(attempt);
  });

  it('is not opened after ten minutes, before its beginning, with another secret, or changed', () => {
    const seal = new AttemptSeal('secret');
    expect(seal.open(sealed, attempt.began + 600_000)).to.equal(undefined);
    expect(seal.open(sealed, attempt.began - 1)).to.equal(undefined);
    expect(new AttemptSeal('other').open(sealed, attempt.began)).to.equal(undefined);
    const [text = '', signature = ''] = sealed.split('.');
    const other = Buffer.from(JSON.stringify({ ...attempt, to: '/other' })).toString('base64url');
    for (const changed of [undefined, '', '.', text, `${other}.${signature}`, `${text}.`, 'x'.repeat(5000)])
      expect(seal.open(changed, attempt.began), changed).to.equal(undefined);
  });
});
