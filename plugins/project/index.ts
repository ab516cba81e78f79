import { definePlugin, type ProjectFacet } from '../contract.ts';
import { FeedCache } from '../feed-cache.ts';
import { projectIdOf } from './project-id.ts';
import { settings } from './schema.ts';

const NO_PROJECT: ProjectFacet = Object.freeze({ id: null, facts: null });

/** No id is longer; anything longer is not looked up. */
const LONGEST_ID = 64;

/** Finds the project a request is for. It refuses nobody: that a project is missing is told after the key check. */
export const plugin = definePlugin({
  name: 'project',
  phase: 'identify',
  surfaces: ['delivery', 'preview', 'manage', 'assets', 'admin'],
  gives: ['project'],
  settings,
  setup({ rememberEntries, rememberUnknown }, services) {
    const projects = new FeedCache<ProjectFacet & { readonly facts: object }>({
      feed: services.feed,
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
      handle: async function project(ctx, next) {
        const id = idOf(ctx.state.surface);
        if (id === undefined) ctx.state.project = NO_PROJECT;
        else {
          const found = id.length > LONGEST_ID ? undefined : await projects.get(id);
          ctx.state.project = found ?? { id, facts: null };
        }
        return next();
      },
      fastPath: {
        handle({ state }) {
          const id = idOf(state.surface);
          const known = id === undefined || id.length > LONGEST_ID ? null : projects.known(id);
          if (!known) return 'fallback';
          state.project = known;
          return 'next';
        },
      },
      dispose: async () => projects.close(),
    };
  },
});

function idOf(surface: Parameters<typeof projectIdOf>[0]): string | undefined {
  return surface.name === 'admin' ? undefined : projectIdOf(surface);
}
