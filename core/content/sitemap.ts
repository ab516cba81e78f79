import { projectTag } from '../changes/tags.ts';
import type { SitemapNodeInput } from '../model/inputs.ts';
import { Issues, listOf } from '../model/issues.ts';
import { flatten } from '../model/load-model.ts';
import type { SitemapNode } from '../model/model.ts';
import { checkTreeLevels } from '../model/tree-levels.ts';
import { markStale } from '../read-model/mark-stale.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { Naming } from './naming.ts';

const NAME_LIMIT = 50;
const NODE_LIMIT = 1000;

/**
 * Replaces the tree. A known id keeps its node and renames or moves it. Items may refer to removed nodes, which readers
 * ignore.
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

/**
 * @param keepsIds see `NamingRules`
 * @throws invalidBody for a value that is no tree; findings inside a tree go to `issues`
 */
export function nameNodes(
  transaction: ProjectTransaction,
  issues: Issues,
  nodes: readonly SitemapNodeInput[],
  known: Iterable<SitemapNode>,
  keepsIds = false,
): SitemapNode[] {
  const naming = new Naming(transaction, issues, { kind: 'sitemap', nameLimit: NAME_LIMIT, keepsIds }, known);
  const shape = new Issues();
  listNodes(shape, nodes, 'nodes');
  shape.refuse();
  const all = flatten(nodes, (node) => node.nodes ?? []);
  if (all.length > NODE_LIMIT) shape.add(`A sitemap can have at most ${NODE_LIMIT} nodes.`, 'nodes');
  checkTreeLevels(shape, nodes, (node) => node.nodes ?? [], 'nodes');
  shape.refuse();
  naming.claim(all);
  const build = (inputs: readonly SitemapNodeInput[], path: string): SitemapNode[] =>
    inputs.map((input, index) => {
      const at = `${path}[${index}]`;
      const { id, name, codename } = naming.name(input, at);
      return { id, name, codename, nodes: build(input.nodes ?? [], `${at}.nodes`) };
    });
  return build(nodes, 'nodes');
}

/** Reports values that are no list of nodes, at any level, without recursion. */
function listNodes(issues: Issues, nodes: readonly SitemapNodeInput[] | undefined, path: string): void {
  const ahead = [{ nodes, path }];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    for (const [index, node] of listOf(issues, next.nodes, next.path).entries())
      ahead.push({ nodes: node.nodes, path: `${next.path}[${index}].nodes` });
  }
}
