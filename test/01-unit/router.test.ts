import { expect } from 'chai';
import { ServiceError } from '../../core/errors.ts';
import { SurfaceRouter, toPath } from '../../core/http/router.ts';

const router = new SurfaceRouter(
  [
    { method: 'GET', path: '' },
    { method: 'GET', path: 'items' },
    { method: 'POST', path: 'items' },
    { method: 'GET', path: 'items/<item>' },
    { method: 'PUT', path: 'items/<item>/variants/<language>' },
    { method: 'GET', path: 'items/<item>/variants' },
    { method: 'POST', path: 'files/:name' },
    { method: 'DELETE', path: 'files/:name' },
    { method: 'POST', path: 'files/latest' },
  ],
  'There is no such path.',
);

const find = (method: string, ...segments: string[]) => router.find(method, toPath(segments));
const failure = (method: string, ...segments: string[]): ServiceError => {
  try {
    find(method, ...segments);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error(`${method} ${segments.join('/')} has a route.`);
};

describe('The router', () => {
  it('matches whole paths, the empty one included, with the case of their letters', () => {
    expect(find('GET').route.path).to.equal('');
    expect(find('GET', 'items').route.path).to.equal('items');
    expect(failure('GET', 'Items').message).to.equal('There is no such path.');
    expect(failure('GET', 'items', 'a', 'b').errorName).to.equal('noSuchResource');
    expect(failure('GET', 'other').status).to.equal(404);
  });

  it('finds the route for GET with HEAD', () => {
    expect(find('HEAD', 'items').route.method).to.equal('GET');
  });

  it('decodes parameters, whatever characters they have', () => {
    for (const name of ['a', '%', 'a/b', 'ü ñ', '..', 'codename', '(x)*', '\n', '\u2028'])
      expect(find('POST', 'files', name).parameters.text('name')).to.equal(name);
  });

  it('reads references in each form', () => {
    const reference = (...segments: string[]) =>
      find('GET', 'items', ...segments).parameters.reference('item');
    expect(reference('1f')).to.deep.equal({ id: '1f' });
    expect(reference('codename', 'home')).to.deep.equal({ codename: 'home' });
    expect(reference('external-id', 'a/b')).to.deep.equal({ external_id: 'a/b' });
    expect(reference('codenames')).to.deep.equal({ id: 'codenames' });
    const { parameters } = find('PUT', 'items', 'codename', 'home', 'variants', 'external-id', 'x');
    expect(parameters.reference('item')).to.deep.equal({ codename: 'home' });
    expect(parameters.reference('language')).to.deep.equal({ external_id: 'x' });
  });

  it('never takes the name of a form for an id', () => {
    expect(failure('GET', 'items', 'codename').errorName).to.equal('noSuchResource');
    expect(failure('GET', 'items', 'external-id').errorName).to.equal('noSuchResource');
    const { route, parameters } = find('GET', 'items', 'codename', 'variants');
    expect(route.path).to.equal('items/<item>');
    expect(parameters.reference('item')).to.deep.equal({ codename: 'variants' });
  });

  it('names the methods of a path that has others, in the order of the routes', () => {
    const refused = failure('PATCH', 'items');
    expect(refused.errorName).to.equal('methodNotAllowed');
    expect(refused.message).to.equal('The method PATCH is not supported here.');
    expect(refused.headers).to.deep.equal({ allow: 'GET, HEAD, POST' });
    expect(failure('PUT', 'files', 'latest').headers).to.deep.equal({ allow: 'POST, DELETE' });
  });

  it('takes the first of several routes', () => {
    expect(find('POST', 'files', 'latest').route.path).to.equal('files/:name');
  });

  it('has only the parameters of the path', () => {
    expect(() => find('GET', 'items').parameters.text('name')).to.throw(':name');
    expect(() => find('GET', 'items').parameters.reference('item')).to.throw('<item>');
  });
});
