import { StartError } from '../../config/start-error.ts';
import type { Phase, Plugin } from '../../plugins/contract.ts';

/**
 * The plugins of one phase in order: first those of the operator's list, then the rest as in the registry, then
 * those that never call `next`; each after the plugins that its `after` and `needs` name.
 *
 * @throws StartError for a cycle, and where the operator's list contradicts a plugin
 */
export function sortPhase(
  phase: Phase,
  plugins: readonly Plugin[],
  wanted: readonly string[],
): readonly Plugin[] {
  const rank = (plugin: Plugin) => {
    const at = wanted.indexOf(plugin.name);
    if (at !== -1) return at;
    return plugin.terminal ? wanted.length + 1 : wanted.length;
  };
  // Array sort is stable: the other plugins keep the order of the registry.
  const remaining = [...plugins].sort((a, b) => rank(a) - rank(b));
  const sorted: Plugin[] = [];
  while (remaining.length > 0) {
    const at = remaining.findIndex((plugin) => !remaining.some((other) => comesBefore(other, plugin)));
    if (at === -1) {
      const names = remaining.map(({ name }) => `'${name}'`).join(', ');
      throw new StartError(`The plugins ${names} of the phase ${phase} depend on each other.`);
    }
    sorted.push(...remaining.splice(at, 1));
  }
  checkWanted(phase, sorted, wanted);
  return sorted;
}

function comesBefore(other: Plugin, plugin: Plugin): boolean {
  if (other === plugin) return plugin.after.includes(plugin.name);
  return plugin.after.includes(other.name) || plugin.needs.some((facet) => other.gives.includes(facet));
}

function checkWanted(phase: Phase, sorted: readonly Plugin[], wanted: readonly string[]): void {
  const positions = new Map(sorted.map(({ name }, at) => [name, at]));
  const present = wanted.filter((name) => positions.has(name));
  for (let at = 1; at < present.length; at += 1) {
    const [first, second] = [present[at - 1]!, present[at]!];
    if (positions.get(first)! < positions.get(second)!) continue;
    throw new StartError(
      `pipeline.order.${phase} puts '${first}' before '${second}', but '${first}' has to come after it.`,
    );
  }
}
