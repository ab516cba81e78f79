import { projectTag } from '../changes/tags.ts';
import type { SitemapNodeInput } from '../model/inputs.ts';
import { Issues } from '../model/issues.ts';
import type { SitemapNode } from '../model/model.ts';
import { markStale } from '../read-model/mark-stale.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { nameTree } from './name-tree.ts';
import type { Named } from './naming.ts';

const NAME_LIMIT = 50;
const NODE_LIMIT = 1000;

/**
 * Replaces the tree. A known id keeps its node and renames or moves it, and so does a known codename without an id; a new
 * node may bring its id. Items may refer to removed nodes, which readers ignore.
 */
export async function replaceSitemap(
  transaction: ProjectTransaction,
  nodes: readonly SitemapNodeInput[],
): Promise<readonly SitemapNode[]> {
  const issues = new Issues();
  const tree = nameNodes(transaction, issues, nodes, transaction.model.sitemapNodeById.values());
  issues.refuse();
  const text = JSON.stringify(tree);
  if (text === JSON.stringify(transaction.model.sitemap)) return transaction.model.sitemap;
  await transaction.tx.run('UPDATE project SET sitemap = ? WHERE number = ?', [
    text,
    transaction.project.number,
  ]);
  await transaction.modelChanged();
  await markStale(transaction, 'project', transaction.project.number);
  transaction.change('sitemap', 'upsert', transaction.project.id, [projectTag(transaction.project.id)]);
  return transaction.model.sitemap;
}

/** @param keepsIds see `NamingRules` */
export function nameNodes(
  transaction: ProjectTransaction,
  issues: Issues,
  nodes: readonly SitemapNodeInput[],
  known: Iterable<SitemapNode>,
  keepsIds = false,
): SitemapNode[] {
  const rules = {
    kind: 'sitemap',
    nameLimit: NAME_LIMIT,
    keepsIds,
    replaces: !keepsIds,
    children: 'nodes',
    limit: NODE_LIMIT,
    limited: 'A sitemap can have',
    toNode: ({ id, name, codename }: Named) => ({ id, name, codename }),
  } as const;
  return nameTree(transaction, issues, rules, nodes, known);
}
