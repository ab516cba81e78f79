import { defineScript } from 'redis';
import type { CountedCalls } from '../../plugins/counters/call-totals.ts';

/** Counts are of use until the end of the period, by the clocks of all gateways. */
const LONGER_MS = 3_600_000;

/** KEYS: a count. ARGV: calls, what it is at least, when it ends (milliseconds since 1970). Returns the count. */
const ADD_SOURCE = `
local count = redis.call('INCRBY', KEYS[1], ARGV[1])
if count < tonumber(ARGV[2]) then
  count = tonumber(ARGV[2])
  redis.call('SET', KEYS[1], ARGV[2])
end
redis.call('PEXPIREAT', KEYS[1], ARGV[3])
return count
`;

export const addScript = defineScript({
  SCRIPT: ADD_SOURCE,
  NUMBER_OF_KEYS: 1,
  parseCommand(parser, key: string, { calls, atLeast, ends }: CountedCalls) {
    parser.pushKey(key);
    parser.push(String(calls), String(atLeast), String(ends + LONGER_MS));
  },
  transformReply: (reply: unknown) => Number(reply),
});
