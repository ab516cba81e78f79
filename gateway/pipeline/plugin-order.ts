/**
 * Which plugins a request passes on each surface, and in what order. Refuses contradictions before any plugin is set
 * up. Pure: `headwater check` runs it too.
 */

import { StartError } from '../../config/start-error.ts';
import {
  type Facet,
  GATEWAY_FACETS,
  PHASES,
  type Phase,
  type Plugin,
  SURFACES,
  type SurfaceName,
} from '../../plugins/contract.ts';
import { sortPhase } from './sort-phase.ts';

/** The settings of which plugins run on which surface. */
export interface PipelineSettings {
  readonly off: readonly string[];
  readonly order: Readonly<Partial<Record<Phase, readonly string[]>>>;
  readonly surfaces: Readonly<Record<string, readonly SurfaceName[]>>;
}

export interface PluginOrder {
  /** All plugins that run, in order. */
  readonly plugins: readonly Plugin[];
  /** The plugins that a request of the surface passes. `none`: those that are on every surface. */
  readonly bySurface: Readonly<Record<SurfaceName | 'none', readonly Plugin[]>>;
}

/**
 * @throws StartError that names the plugins and the rule
 */
export function orderPlugins(available: readonly Plugin[], settings: PipelineSettings): PluginOrder {
  const names = new Set<string>();
  for (const { name } of available) {
    if (names.has(name)) throw new StartError(`There are two plugins with the name '${name}'.`);
    names.add(name);
  }
  checkOrder(settings.order, available);
  for (const plugin of available) {
    for (const other of plugin.after) {
      if (names.has(other)) continue;
      throw new StartError(`The plugin '${plugin.name}' comes after '${other}', which is no plugin.`);
    }
  }
  const running = available.filter(({ name }) => !settings.off.includes(name));
  checkPhases(running);
  const plugins = PHASES.flatMap((phase) =>
    sortPhase(
      phase,
      running.filter((plugin) => plugin.phase === phase),
      settings.order[phase] ?? [],
    ),
  );
  const on = (plugin: Plugin) => settings.surfaces[plugin.name] ?? plugin.surfaces;
  const everywhere = plugins.filter((plugin) => SURFACES.every((surface) => on(plugin).includes(surface)));
  const bySurface: Partial<Record<SurfaceName | 'none', readonly Plugin[]>> = { none: everywhere };
  for (const surface of SURFACES) {
    const passed = plugins.filter((plugin) => on(plugin).includes(surface));
    checkFacets(surface, passed, running);
    bySurface[surface] = passed;
  }
  return { plugins, bySurface: bySurface as PluginOrder['bySurface'] };
}

/** The schema of the settings refuses names of no plugin. */
function checkOrder(order: PipelineSettings['order'], available: readonly Plugin[]): void {
  for (const phase of PHASES) {
    for (const name of order[phase] ?? []) {
      const plugin = available.find((one) => one.name === name);
      if (plugin === undefined || plugin.phase === phase) continue;
      throw new StartError(
        `pipeline.order.${phase} names '${name}', which belongs to the phase ${plugin.phase}.`,
      );
    }
  }
}

function checkPhases(running: readonly Plugin[]): void {
  const phaseOf = new Map(running.map(({ name, phase }) => [name, PHASES.indexOf(phase)]));
  for (const plugin of running) {
    const own = PHASES.indexOf(plugin.phase);
    for (const other of plugin.after) {
      const there = phaseOf.get(other);
      if (there === undefined || there <= own) continue;
      throw new StartError(
        `The plugin '${plugin.name}' (phase ${plugin.phase}) comes after '${other}', ` +
          `whose phase ${PHASES[there]} is later.`,
      );
    }
  }
}

function checkFacets(surface: SurfaceName, plugins: readonly Plugin[], running: readonly Plugin[]): void {
  const pluginOfFacet = new Map<Facet, string>(GATEWAY_FACETS.map((facet) => [facet, 'the gateway']));
  for (const plugin of plugins) {
    for (const facet of plugin.needs) {
      if (pluginOfFacet.has(facet)) continue;
      throw new StartError(
        `The plugin '${plugin.name}' needs '${facet}' on the surface ${surface}, ${whyMissing(facet)}`,
      );
    }
    for (const facet of plugin.gives) {
      const other = pluginOfFacet.get(facet);
      if (other !== undefined) {
        throw new StartError(
          `The plugin '${plugin.name}' gives '${facet}' on the surface ${surface}, but ` +
            `${other === 'the gateway' ? other : `'${other}'`} gives it already.`,
        );
      }
      pluginOfFacet.set(facet, plugin.name);
    }
  }

  function whyMissing(facet: Facet): string {
    const later = plugins.find((plugin) => plugin.gives.includes(facet));
    if (later !== undefined) return `but '${later.name}', which gives it, comes later.`;
    const elsewhere = running.find((plugin) => plugin.gives.includes(facet));
    if (elsewhere !== undefined) return `but '${elsewhere.name}', which gives it, is not on that surface.`;
    return 'but no plugin that runs gives it.';
  }
}
