/** The service with a message for renames: no HTTP surface can change types yet. */
import type * as LoadConfig from '../../config/load-config.ts';
import type * as Types from '../../core/content/types.ts';
import { schemasOf } from '../../gateway/cli/configure.ts';
import type * as RoleAll from '../../gateway/roles/all.ts';
import type * as Plugins from '../../plugins/registry.ts';
import { answerParent } from './answer-parent.ts';
import { built } from './built.ts';

export type RenameOrder =
  | { readonly do: 'start' }
  | { readonly do: 'rename'; readonly project: string; readonly from: string; readonly to: string }
  /** Answered when no document is stale any more. */
  | { readonly do: 'settle' }
  | { readonly do: 'stop' };

let service: RoleAll.RunningService | undefined;

/** The settings come by environment, as for any service. */
async function start(): Promise<void> {
  const { loadConfig } = await built<typeof LoadConfig>('config/load-config');
  const { plugins } = await built<typeof Plugins>('plugins/registry');
  const { startAll } = await built<typeof RoleAll>('gateway/roles/all');
  const schemas = schemasOf(plugins);
  const config = await loadConfig({ environment: process.env }, schemas);
  service = await startAll({ config, plugins });
}

async function rename(project: string, from: string, to: string): Promise<void> {
  const { updateType } = await built<typeof Types>('core/content/types');
  await service!.core.operations.inProject(project, null, async (transaction) => {
    for (const type of transaction.model.types) {
      if (!type.elements.some(({ codename }) => codename === from)) continue;
      const elements = type.elements.map((element) =>
        element.codename === from ? { ...element, name: to, codename: to } : element,
      );
      await updateType(transaction, { id: type.id }, { elements });
    }
  });
}

answerParent(async (order: RenameOrder): Promise<void> => {
  switch (order.do) {
    case 'start':
      return start();
    case 'rename':
      return rename(order.project, order.from, order.to);
    case 'settle':
      return service!.core.operations.settled();
    case 'stop':
      return service?.close();
  }
});
