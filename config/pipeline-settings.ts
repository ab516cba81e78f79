import { z } from 'zod';
import { GATEWAY_ROLES } from './role-settings.ts';
import { SURFACES } from './surface-settings.ts';

export const PHASES = ['observe', 'edge', 'identify', 'admit', 'reuse', 'forward'] as const;

export type Phase = (typeof PHASES)[number];
const pluginName = z
  .string()
  .regex(/^[a-z][a-z0-9-]*$/, 'must be the name of a plugin, for example rate-limit');

function phaseOrder(phase: Phase) {
  return z.array(pluginName).default([]).describe(`Plugins of the phase ${phase}.`);
}

export const pipelineSettings = z
  .strictObject({
    off: z.array(pluginName).default([]).describe('Plugins that do not run.'),
    own: z.array(z.string().min(1)).default([]).meta({
      module: true,
      description: 'Plugins of your own: a path that starts with ./, ../ or /, or the name of a package.',
    }),
    order: z
      .strictObject(
        Object.fromEntries(PHASES.map((phase) => [phase, phaseOrder(phase)])) as Record<
          Phase,
          ReturnType<typeof phaseOrder>
        >,
      )
      .prefault({})
      .describe('Order inside a phase: the named plugins run first, in this order.'),
    surfaces: z
      .record(pluginName, z.array(z.enum(SURFACES)))
      .default({})
      .describe('Surfaces a plugin runs on, by the name of the plugin, in place of its defaults.'),
  })
  .prefault({})
  .meta({
    live: true,
    roles: GATEWAY_ROLES,
    description: 'Which plugins a request passes, and in which order.',
  });
