import type { ExpressPart, PluginInstance } from '../../plugins/contract.ts';

/** A plugin may still use the names of the release before; a new name wins over its old one. */
export function withCurrentNames(instance: PluginInstance): PluginInstance {
  const { begin, left, express } = instance;
  if (begin === undefined && left === undefined && express === undefined) return instance;
  return {
    handle: instance.handle?.bind(instance),
    health: instance.health?.bind(instance),
    dispose: instance.dispose?.bind(instance),
    activate: (instance.activate ?? begin)?.bind(instance),
    onResponse: (instance.onResponse ?? left)?.bind(instance),
    onRequest: instance.onRequest?.bind(instance) ?? (express && onRequestFrom(express)),
    // `handle` repeats what `express` did.
    wraps: instance.wraps ?? express !== undefined,
  };
}

function onRequestFrom(express: ExpressPart): PluginInstance['onRequest'] {
  return ({ req, res, state, fastHeaders }) => {
    if (fastHeaders === undefined) return 'handle';
    const step = express.enter({ req, res, state, headers: fastHeaders });
    return step === 'answered' ? 'responded' : step === 'next' ? 'next' : 'handle';
  };
}
