import { expect } from 'chai';
import { CommittedTagVersions } from '../../core/changes/committed-tag-versions.ts';

describe('versions of tags', () => {
  const project = 'p';
  const change = (
    sequence: number,
    tags: readonly string[],
    more: { epoch?: string; project?: string } = {},
  ) => ({
    sequence,
    epoch: more.epoch ?? 'first',
    entries: [
      {
        project: 1,
        projectId: more.project ?? project,
        type: 'content_item',
        operation: 'upsert',
        object: 'o',
        tags,
        actor: null,
      },
    ],
  });
  const open = (capacity?: number) => new CommittedTagVersions({ sequence: 10 }, capacity);

  it('show whether one of several tags changed after a sequence', () => {
    const versions = open();
    versions.record(change(11, ['a', 'b']));
    versions.record(change(12, ['b']));
    expect(versions.sequence).to.equal(12);
    expect(versions.changed(project, ['a'], 10)).to.equal(true);
    expect(versions.changed(project, ['a'], 11)).to.equal(false);
    expect(versions.changed(project, ['x', 'b'], 11)).to.equal(true);
    expect(versions.changed(project, ['x', 'b'], 12)).to.equal(false);
    expect(versions.changed(project, [], 10)).to.equal(false);
  });

  it('count each change of the project for *, and none of another project', () => {
    const versions = open();
    versions.record(change(11, [], {}));
    versions.record(change(12, ['a'], { project: 'other' }));
    expect(versions.changed(project, ['*'], 10)).to.equal(true);
    expect(versions.changed(project, ['*'], 11)).to.equal(false);
    expect(versions.changed(project, ['a'], 11)).to.equal(false);
  });

  it('report tags as changed for sequences before the start and after the newest commit', () => {
    const versions = open();
    expect(versions.changed(project, ['a'], 9)).to.equal(true);
    expect(versions.changed(project, ['a'], 10)).to.equal(false);
    expect(versions.changed(project, ['a'], 11)).to.equal(true);
  });

  it('forget all tags when there are too many, and report older ones as changed', () => {
    const versions = open(5);
    versions.record(change(11, ['a', 'b']));
    versions.record(change(12, ['c', 'd', 'e', 'f']));
    expect(versions.changed(project, ['x'], 11)).to.equal(true);
    expect(versions.changed(project, ['x'], 12)).to.equal(false);
    versions.record(change(13, ['x']));
    expect(versions.changed(project, ['x'], 12)).to.equal(true);
  });

  it('forget all tags when the data was replaced', () => {
    const versions = open();
    versions.record(change(11, ['a']));
    versions.reset({ sequence: 20 });
    expect(versions.changed(project, ['b'], 19)).to.equal(true);
    expect(versions.changed(project, ['b'], 20)).to.equal(false);
  });
});
