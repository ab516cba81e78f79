/** A random project twice: in a running core and in the oracle, changed together. */
import { createProject } from '../../../core/access/projects.ts';
import type { createCore } from '../../../core/compose/create-core.ts';
import type { OracleContent } from '../oracle/content.ts';
import { changeCore, type Ids } from './change-core.ts';
import { changeOracle } from './change-oracle.ts';
import type { Step } from './steps.ts';

export type RunningCore = Awaited<ReturnType<typeof createCore>>;

export class TwinProject {
  readonly content: OracleContent;
  readonly previewKey: string;
  readonly #core: RunningCore;
  readonly #ids: Ids = new Map();

  private constructor(core: RunningCore, projectId: string, previewKey: string, mediaType: string) {
    this.#core = core;
    this.previewKey = previewKey;
    this.content = {
      projectId,
      mediaType,
      languages: [],
      taxonomies: [],
      sitemap: [],
      snippets: [],
      types: [],
      assets: [],
      items: [],
    };
  }

  static async create(core: RunningCore, name: string, mediaType: string): Promise<TwinProject> {
    const { id, keys } = await core.operations.installation(null, (installation) =>
      createProject(installation, { name }),
    );
    return new TwinProject(core, id, keys['preview-primary'], mediaType);
  }

  get id(): string {
    return this.content.projectId;
  }

  /** Applies the steps to core in one transaction, and to the oracle. */
  async apply(steps: readonly Step[], { operations } = this.#core): Promise<void> {
    await operations.inProject(this.id, null, async (transaction) => {
      for (const step of steps) {
        await changeCore(transaction, operations.blobs, this.content, step, this.#ids);
        // At once, because the next step may refer to the result of this one.
        changeOracle(this.content, step, { ids: this.#ids, now: transaction.now });
      }
    });
  }
}
