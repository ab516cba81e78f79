/** Processes that the page of gateways and cores has no report of. */
import { expect } from 'chai';
import { silentProcesses } from '../../plugins/console/app/screens/silent-processes.ts';

describe('processes without a report', () => {
  const [core, gateway, late] = ['core-1', 'gateway-1', 'gateway-2'].map((instance) => ({ instance }));

  it('are those that run and of which neither list has a report', () => {
    expect(silentProcesses([core!, gateway!, late!], [gateway!], [core!])).to.deep.equal(['gateway-2']);
    expect(silentProcesses([core!, gateway!], [gateway!], [])).to.deep.equal(['core-1']);
    expect(silentProcesses([gateway!], [gateway!, late!], [core!])).to.deep.equal([]);
  });

  it('are not known before every list is read', () => {
    expect(silentProcesses(undefined, [], [])).to.equal(undefined);
    expect(silentProcesses([core!], [], undefined)).to.equal(undefined);
  });
});
