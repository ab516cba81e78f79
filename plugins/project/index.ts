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
  setup({ rememberEntries }, kit) {
    const projects = new FeedCache({
      feed: kit.feed,
      entries: rememberEntries,
      lookUp: (id) => kit.core.access.project(id),
      projectOf: (facts) => facts.id,
    });
    return {
      handle: async function project(ctx, next) {
        const { surface } = ctx.state;
        const id = surface.name === 'admin' ? undefined : projectIdOf(surface);
        if (id === undefined) ctx.state.project = NO_PROJECT;
        else {
          const facts = id.length > LONGEST_ID ? undefined : await projects.get(id);
          ctx.state.project = { id, facts: facts ?? null };
        }
        return next();
      },
      dispose: async () => projects.close(),
    };
  },
});
