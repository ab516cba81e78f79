import { addressGroup, plainAddress } from '../../../plugins/client-address.ts';
import { StartError } from '../../start-error.ts';
import { type Command, UsageError } from '../command.ts';
import { configure } from '../configure.ts';
import { withCore } from '../with-core.ts';

export const unblock: Command = {
  name: 'unblock',
  summary: 'Ends the block of an address that sent too many wrong keys or admin tokens.',
  details:
    'ADDRESS is the one that the answers with 429 and the log of the service name: IPv4, or IPv6, of which the\n' +
    'whole /64 network is blocked. Its wrong keys so far are forgotten as well. Works on the running service and\n' +
    'says whether the address was blocked; a service that starts again has no blocks.',
  arguments: ['ADDRESS'],
  options: {},
  onData: true,
  async run(call) {
    const given = call.arguments[0] ?? '';
    const address = plainAddress(given.replace(/\/64$/, ''));
    if (address === undefined) throw new UsageError(`'${given}' is no IP address.`);
    const { service } = call;
    if (service === undefined) {
      const { dataDir } = (await configure(call)).config.settings;
      throw new StartError(`No service runs on the data folder ${dataDir}, so no address is blocked.`);
    }
    const group = addressGroup(address);
    if (!service.unblock(address)) {
      call.terminal.out(`${group} was not blocked.`);
      return 0;
    }
    // On record among the administrative acts.
    await withCore(call, ({ installation }) => installation(null, async () => {}));
    call.terminal.out(`${group} was blocked and is not any more.`);
    return 0;
  },
};
