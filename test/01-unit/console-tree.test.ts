import { expect } from 'chai';
import {
  flatNodes,
  movedNode,
  stayingNodes,
  type TreeNode,
} from '../../plugins/console/app/screens/model/tree.ts';

const node = (id: string, ...nodes: readonly TreeNode[]): TreeNode => ({ id, name: id, codename: id, nodes });

describe('what was moved in a tree', () => {
  const tree = node(
    'animals',
    node('birds', node('kingfisher'), node('heron', node('grey_heron'), node('night_heron'))),
    node('fish'),
  );
  const moved = (nodes: readonly TreeNode[]) => {
    const staying = stayingNodes(tree, { ...tree, nodes });
    return flatNodes(nodes).flatMap(({ id }) => (staying.has(id) ? [] : [id]));
  };

  it('is a node that is under another one now, without what is below it', () => {
    expect(moved(movedNode(tree.nodes, 'heron', 'under', 'fish'))).to.deep.equal(['heron']);
  });

  it('is one of two nodes that changed places, without what is below them', () => {
    expect(moved(movedNode(tree.nodes, 'kingfisher', 'after', 'heron'))).to.have.lengthOf(1);
    expect(moved(movedNode(tree.nodes, 'heron', 'before', 'kingfisher'))).to.have.lengthOf(1);
  });

  it('is nothing where names are changed and nodes removed', () => {
    const [birds] = tree.nodes;
    expect(moved([{ ...birds!, name: 'All birds' }])).to.deep.equal([]);
  });
});
