import { defineScript } from 'redis';
import { type Limits, type Verdict, WINDOW_MS, WINDOWS } from '../../plugins/counters/limiter.ts';
import { PARTS } from '../../plugins/counters/rolling-window.ts';

const SLOTS = PARTS + 1;
/** No call counts after this: the hour and the part of it that is half outside. */
const KEPT_MS = (WINDOW_MS.hour / PARTS) * SLOTS;

/**
 * Charges a call in all windows or in none, by the clock of Redis; counts as `LocalLimiter` does: the second exactly,
 * minute and hour by parts. What is later than now by more than a second or a part was written before the clock was
 * set back, and is deleted.
 *
 * KEYS: a list of the times of the last second in microseconds, oldest first; a hash of calls by part of the minute
 * (`m<part>`) and of the hour (`h<part>`). ARGV: the limits of second, minute and hour; -1 = unlimited.
 * Returns 1 or 0 for admitted, the wait in microseconds, then for each window the calls that count and the microseconds
 * until one fewer does. Plain Lua 5.1: runs on compatible servers, too.
 */
export const TAKE_SOURCE = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local limits = { tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]) }

local first = redis.call('LINDEX', KEYS[1], 0)
while first and (first + 0 <= now - 1000000 or first + 0 > now + 1000000) do
  redis.call('LPOP', KEYS[1])
  first = redis.call('LINDEX', KEYS[1], 0)
end
local calls = redis.call('LLEN', KEYS[1])

local windows = {
  m = { length = ${(WINDOW_MS.minute * 1000) / PARTS}, total = 0, parts = {} },
  h = { length = ${(WINDOW_MS.hour * 1000) / PARTS}, total = 0, parts = {} },
}
for _, window in pairs(windows) do window.newest = math.floor(now / window.length) end
local fields = redis.call('HGETALL', KEYS[2])
local old = {}
for at = 1, #fields, 2 do
  local window = windows[string.sub(fields[at], 1, 1)]
  local part = tonumber(string.sub(fields[at], 2))
  if part <= window.newest - ${SLOTS} or part > window.newest + 1 then
    old[#old + 1] = fields[at]
  else
    window.parts[part] = tonumber(fields[at + 1])
    window.total = window.total + window.parts[part]
  end
end

local function wait_of(window, limit)
  local count = window.total
  if limit < 0 or count < limit then return 0 end
  for part = window.newest - ${PARTS}, window.newest + 1 do
    count = count - (window.parts[part] or 0)
    if count < limit then return (part + ${SLOTS}) * window.length - now end
  end
  return ${SLOTS} * window.length
end

local wait = math.max(wait_of(windows.m, limits[2]), wait_of(windows.h, limits[3]))
if limits[1] >= 0 and calls >= limits[1] then
  local oldest = redis.call('LINDEX', KEYS[1], calls - limits[1])
  wait = math.max(wait, oldest + 1000000 - now)
end

if wait == 0 then
  if limits[1] >= 0 then
    redis.call('RPUSH', KEYS[1], string.format('%.0f', now))
    redis.call('PEXPIRE', KEYS[1], 2000)
    calls = calls + 1
    first = first or now
  end
  for name, window in pairs(windows) do
    window.total = window.total + 1
    window.parts[window.newest] = redis.call('HINCRBY', KEYS[2], name .. string.format('%.0f', window.newest), 1)
  end
  if #old > 0 then redis.call('HDEL', KEYS[2], unpack(old)) end
  redis.call('PEXPIRE', KEYS[2], ${KEPT_MS})
end

local function reset_of(window)
  if window.total == 0 then return 0 end
  return wait_of(window, window.total)
end
return {
  wait == 0 and 1 or 0, wait,
  calls, first and first + 1000000 - now or 0,
  windows.m.total, reset_of(windows.m),
  windows.h.total, reset_of(windows.h),
}
`;

export const takeScript = defineScript({
  SCRIPT: TAKE_SOURCE,
  NUMBER_OF_KEYS: 2,
  parseCommand(parser, list: string, hash: string, limits: Limits) {
    parser.pushKeys([list, hash]);
    for (const name of WINDOWS) parser.push(String(limits[name] ?? -1));
  },
  transformReply: (reply: unknown) => reply as readonly number[],
});

/** @param reply of the script */
export function toVerdict([isAdmitted, wait = 0, ...states]: readonly number[], limits: Limits): Verdict {
  return {
    admitted: isAdmitted === 1,
    waitMilliseconds: wait / 1000,
    windows: WINDOWS.flatMap((name, at) => {
      const limit = limits[name];
      if (limit === null) return [];
      const remaining = Math.max(0, limit - states[2 * at]!);
      return { name, limit, remaining, resetMilliseconds: states[2 * at + 1]! / 1000 };
    }),
  };
}
