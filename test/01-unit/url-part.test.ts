import { expect } from 'chai';
import { decodedPart } from '../../config/url-part.ts';
import { targetOf } from '../../core/storage/postgres/start-errors.ts';
import { createRedisClient } from '../../gateway/redis/redis-client.ts';

describe('parts of the URL of a server', () => {
  it('are decoded; a % that encodes nothing stands for itself', () => {
    for (const [part, decoded] of [
      ['a%40b', 'a@b'],
      ['100%', '100%'],
      ['%zz%C3%A4', '%zzä'],
      ['%ff', '%ff'],
    ] as const)
      expect(decodedPart(part), part).to.equal(decoded);
  });

  it('may be so in the name of a user of PostgreSQL and of its database', () => {
    const { user, database } = targetOf('postgres://u%zz:a%zz@127.0.0.1/x%zz');
    expect({ user, database }).to.deep.equal({ user: 'u%zz', database: 'x%zz' });
  });

  it('may be so in the password of Redis', () => {
    const client = createRedisClient({
      url: 'redis://u:a%zz%40@127.0.0.1',
      prefix: 'test',
      sentinel: null,
      cluster: false,
      certificateAuthority: undefined,
    });
    expect(client).to.have.nested.property('options.password', 'a%zz@');
  });
});
