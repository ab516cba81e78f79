import { FeedCache } from '../caching/feed-cache.ts';
import { definePlugin, type ProjectFacet } from '../contract.ts';
import { projectIdOf } from './project-id.ts';
import { settings } from './schema.ts';

const NO_PROJECT: ProjectFacet = Object.freeze({ id: null, facts: null });

/** No id is longer. */
const LONGEST_ID = 64;

/** Finds the project of a request. An unknown project is refused after the key check. */
export const plugin = definePlugin({
  name: 'project',
  phase: 'identify',
  surfaces: ['delivery', 'preview', 'manage', 'assets', 'admin'],
  gives: ['project'],
  settings,
  setup({ rememberEntries, rememberUnknown }, services) {
    const projects = new FeedCache<ProjectFacet & { readonly facts: object }>({
      feed: services.feed,
      clock: services.clock,
      // Caches may answer without core, for a limited time; everything else needs core anyway.
      withoutCore: true,
      entries: rememberEntries,
      missingEntries: rememberUnknown,
      prefixes: ['project:'],
      tagOf: ({ id }) => `project:${id}`,
      tagOfMissing: (id) => `project:${id}`,
      lookUp: async (id) => {
        const facts = await services.core.access.project(id);
        return facts && { id, facts };
      },
    });
    return {
      onRequest({ state }) {
        const id = idOf(state.surface);
        if (id === undefined) state.project = NO_PROJECT;
        else {
          const known = id.length > LONGEST_ID ? null : projects.known(id);
          if (known === undefined) return 'handle';
          state.project = known ?? { id, facts: null };
        }
        return 'next';
      },
      handle: async function project({ state }, next) {
        const id = idOf(state.surface)!;
        state.project = (await projects.get(id)) ?? { id, facts: null };
        return next();
      },
      dispose: async () => projects.close(),
    };
  },
});

function idOf(surface: Parameters<typeof projectIdOf>[0]): string | undefined {
  return surface.name === 'admin' ? undefined : projectIdOf(surface);
}
