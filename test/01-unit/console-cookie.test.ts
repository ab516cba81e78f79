import { expect } from 'chai';
import { cookieName, endedCookie, sessionCookie } from '../../core/console/console-cookie.ts';

describe('a cookie of the console', () => {
  for (const url of [
    'https://content.example.org/console',
    'https://localhost:8443/console',
    // A proxy that ends TLS may not say so.
    'http://content.example.org/console',
    'http://localhost.example.org/console',
    'http://127.0.0.1.example.org/console',
    'http://example.org/http://localhost/console',
    'http://127.0.0.1@example.org/console',
    'http://10.0.0.7:8080/console',
  ])
    it(`is secure at ${url}`, () => {
      expect(cookieName('name', url)).to.equal('__Secure-name');
      expect(sessionCookie('token', url)).to.match(
        /^__Secure-headwater-session=token; Path=.*; Secure; HttpOnly; SameSite=Strict$/,
      );
    });

  for (const url of [
    'http://localhost:8080/console',
    'http://app.localhost/console',
    'http://127.0.0.1:8080/console',
    'http://127.8.9.10/console',
    'http://[::1]:8080/console',
  ])
    it(`is one that Safari keeps at ${url}`, () => {
      expect(cookieName('name', url)).to.equal('name');
      expect(sessionCookie('token', url)).to.equal(
        'headwater-session=token; Path=/console; HttpOnly; SameSite=Strict',
      );
      expect(endedCookie(url)).to.equal(
        'headwater-session=; Max-Age=0; Path=/console; HttpOnly; SameSite=Strict',
      );
    });
});
