import {
  type ExpressPart,
  type FastPath,
  NOTHING_TO_DO,
  PASS_THROUGH,
  type PluginInstance,
} from '../../plugins/contract.ts';

/** A plugin may still use the names of the release before; a new name wins over its old one. */
export function withCurrentNames(instance: PluginInstance): PluginInstance {
  const { begin, left, express } = instance;
  if (begin === undefined && left === undefined && express === undefined) return instance;
  return {
    handle: instance.handle.bind(instance),
    health: instance.health?.bind(instance),
    dispose: instance.dispose?.bind(instance),
    activate: (instance.activate ?? begin)?.bind(instance),
    onResponse: (instance.onResponse ?? left)?.bind(instance),
    fastPath: instance.fastPath ?? (express && fastPathFrom(express)),
  };
}

function fastPathFrom(express: ExpressPart): FastPath {
  if (express === NOTHING_TO_DO) return PASS_THROUGH;
  return {
    answers: express.answers,
    handle(exchange) {
      const step = express.enter(exchange);
      return step === 'whole-road' ? 'fallback' : step;
    },
  };
}
