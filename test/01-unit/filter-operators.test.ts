import { expect } from 'chai';
import { OPERATORS } from '../../core/delivery/operators.ts';
import { OPERATORS as ORACLE_OPERATORS } from '../support/oracle/filters.ts';
import { RANDOM_OPERATORS } from '../support/random/random-query.ts';

describe('filter operators', () => {
  it('are all known to the oracle of the differential test', () => {
    expect(Object.keys(OPERATORS)).to.have.members([...ORACLE_OPERATORS]);
  });

  it('are all used by its random queries', () => {
    expect([...RANDOM_OPERATORS]).to.have.members(Object.keys(OPERATORS));
  });
});
