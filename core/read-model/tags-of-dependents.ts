import { allMembersTag, itemTag, membersTag, projectTag } from '../changes/tags.ts';
import { CHANNEL_BIT, type Channel } from '../model/model.ts';
import { type StaleKind, USE } from '../storage/stale.ts';
import type { ProjectView } from '../transaction/project-view.ts';

/** More dependents of one object, or of all, become one tag for the whole project. */
const LIMIT = 500;
const LIMIT_OF_ALL = 4000;
/** Uses that are read for a dependent; an item uses another in several documents and ways. */
const USES = 3;

const KINDS: Readonly<Record<StaleKind, readonly number[]>> = {
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
  targets: readonly number[],
  channelsOf: (target: number) => readonly Channel[],
): Promise<string[]> {
  const kinds = KINDS[kind];
  if (kinds.length === 0) return [];
  const limit = Math.min(LIMIT * targets.length, LIMIT_OF_ALL);
  const { text, parameter } = tx.among('u.target', targets);
  const where = `u.kind IN (${kinds.join(', ')}) AND ${text}`;
  // The index alone answers this; reading 500 documents and items takes ten times as long, and the writer waits.
  const many = await tx.get(
    `SELECT u.document AS document FROM uses u WHERE ${where} LIMIT 1 OFFSET ${USES * limit}`,
    [parameter],
  );
  if (many) return [projectTag(project.id)];
  const rows = await tx.all<{ target: number; codename: string; type: number; visible: number }>(
    `SELECT DISTINCT u.target AS target, i.codename AS codename, d.type AS type, d.visible AS visible
     FROM uses u JOIN document d ON d.number = u.document JOIN item i ON i.number = d.item
     WHERE ${where} LIMIT ${limit + 1}`,
    [parameter],
  );
  if (rows.length > limit) return [projectTag(project.id)];
  const tags = new Set<string>();
  for (const { target, codename, type, visible } of rows)
    for (const channel of channelsOf(target)) {
      if ((visible & CHANNEL_BIT[channel]) === 0) continue;
      tags.add(itemTag(channel, codename));
      tags.add(allMembersTag(channel));
      // Filters find rich texts by codenames in them, and assets by file names.
      tags.add(membersTag(channel, model.typeByNumber.get(type)?.codename ?? ''));
    }
  return [...tags];
}
