import { StartError } from '../../../config/start-error.ts';
import { addressGroup, plainAddress } from '../../../plugins/counters/client-address.ts';
import { type Command, UsageError } from '../command.ts';
import { runningService } from '../configure.ts';
import { recordCommand, withCore } from '../with-core.ts';

export const unblock: Command = {
  name: 'unblock',
  summary: 'Ends the block of an address that sent too many wrong keys or admin tokens.',
  details:
    'ADDRESS is IPv4, or IPv6, of which the whole /64 network is blocked; responses with 429 and the log of the\n' +
    'service name it. Also resets its count of wrong keys. Works on the running service and prints whether the\n' +
    'address was blocked; a restart ends all blocks.',
  arguments: ['ADDRESS'],
  options: {},
  onData: true,
  async run(call) {
    const given = call.arguments[0] ?? '';
    const address = plainAddress(given.replace(/\/64$/, ''));
    if (address === undefined) throw new UsageError(`'${given}' is no IP address.`);
    const service = await runningService(call, 'no address is blocked');
    const group = addressGroup(address);
    if (service.unblock === undefined) {
      throw new StartError(
        `A ${service.role} blocks no address, gateways do: run this command with the data folder of each gateway.`,
      );
    }
    if (!(await service.unblock(address))) {
      call.terminal.out(`${group} was not blocked.`);
      return 0;
    }
    // A gateway has its own log only.
    if (call.operations !== undefined) await withCore(call, (operations) => recordCommand(call, operations));
    call.terminal.out(`${group} was blocked and is not any more.`);
    return 0;
  },
};
