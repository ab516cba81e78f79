import { allMembersTag, itemTag, membersTag, projectTag } from '../changes/tags.ts';
import { CHANNEL_BIT, type Channel } from '../model/model.ts';
import { type StaleKind, USE } from '../storage/stale.ts';
import type { ProjectView } from '../transaction/project-view.ts';

/** More dependents become one tag for the whole project. */
const LIMIT = 500;
/** Uses that are read; an item uses another in several documents and ways. */
const USES_LIMIT = 3 * LIMIT;

const USES: Readonly<Record<StaleKind, readonly number[]>> = {
  project: [],
  language: [],
  type: [USE.componentType],
  item: [USE.linkedItem, USE.hyperlink],
  asset: [USE.asset],
};

/** Tags of the items whose documents show something that changes, as they were before the change. */
export async function tagsOfDependents(
  { tx, model, project }: Pick<ProjectView, 'tx' | 'model' | 'project'>,
  kind: StaleKind,
  target: number,
  channels: readonly Channel[],
): Promise<string[]> {
  const uses = USES[kind];
  if (uses.length === 0) return [];
  const where = `u.kind IN (${uses.join(', ')}) AND u.target = ?`;
  // The index alone answers this; reading 500 documents and items takes ten times as long, and the writer waits.
  const many = await tx.get(
    `SELECT u.document AS document FROM uses u WHERE ${where} LIMIT 1 OFFSET ${USES_LIMIT}`,
    [target],
  );
  if (many) return [projectTag(project.id)];
  const rows = await tx.all<{ codename: string; type: number; visible: number }>(
    `SELECT DISTINCT i.codename AS codename, d.type AS type, d.visible AS visible
     FROM uses u JOIN document d ON d.number = u.document JOIN item i ON i.number = d.item
     WHERE ${where} LIMIT ${LIMIT + 1}`,
    [target],
  );
  if (rows.length > LIMIT) return [projectTag(project.id)];
  const tags = new Set<string>();
  for (const { codename, type, visible } of rows)
    for (const channel of channels) {
      if ((visible & CHANNEL_BIT[channel]) === 0) continue;
      tags.add(itemTag(channel, codename));
      tags.add(allMembersTag(channel));
      // Filters find rich texts by codenames in them, and assets by file names.
      tags.add(membersTag(channel, model.typeByNumber.get(type)?.codename ?? ''));
    }
  return [...tags];
}
