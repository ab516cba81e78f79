import { expect } from 'chai';
import { type ErrorName, ServiceError } from '../../core/errors.ts';
import { errorResponses, RESPONSE_OF_STATUS } from '../../core/http/delivery-errors.ts';
import { describeErrors } from '../../core/http/describe-errors.ts';
import { files, textOf } from './repository-files.ts';

const CATALOGUE = 'core/errors.ts';
const names = [...textOf(CATALOGUE).matchAll(/^ {2}(\w+): \{ code: \d+, status: \d+ \},$/gm)].map(
  ([, name]) => name as ErrorName,
);

/** Entries of the catalogue that source files of the folders name. */
function namedIn(...folders: readonly string[]): ServiceError[] {
  const source = folders
    .flatMap((folder) => files(folder))
    .filter((path) => path.endsWith('.ts') && path !== CATALOGUE)
    .map(textOf)
    .join('\n');
  return names.filter((name) => source.includes(`'${name}'`)).map((name) => new ServiceError(name, ''));
}

const textOfErrors = (errors: readonly ServiceError[]) => errors.map(({ errorName }) => errorName);

describe('an error of the catalogue', () => {
  it('is thrown somewhere', () => {
    expect(names.length).to.be.greaterThan(40);
    expect(textOfErrors(namedIn('core', 'plugins', 'gateway'))).to.deep.equal(names);
  });

  it('of delivery or of files has its code in the description of that surface', () => {
    const missing = namedIn('core/delivery', 'core/files').filter(({ code, status }) => {
      const response = errorResponses()[RESPONSE_OF_STATUS.get(status) ?? ''];
      return !JSON.stringify(response ?? '').includes(`"error_code":${code},`);
    });
    expect(textOfErrors(missing)).to.deep.equal([]);
  });

  it('of the management or admin API has its status in the description of that surface', () => {
    const { references } = describeErrors('', '', { 401: ['', ''], 403: ['', ''], 429: ['', ''] });
    const missing = namedIn('core/management', 'core/admin', 'core/content', 'core/publishing').filter(
      ({ status }) => references[status] === undefined,
    );
    expect(textOfErrors(missing)).to.deep.equal([]);
  });
});
