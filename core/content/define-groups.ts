import type { MemberInput } from '../model/inputs.ts';
import { type Issues, listOf } from '../model/issues.ts';
import type { ContentGroup } from '../model/model.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { Naming } from './naming.ts';

const GROUP_NAME_LIMIT = 50;

/** Checks and names the content groups of a type. */
export function defineGroups(
  transaction: ProjectTransaction,
  issues: Issues,
  typeId: string,
  groups: readonly MemberInput[],
  known: readonly ContentGroup[],
  keepsIds = false,
): ContentGroup[] {
  const naming = new Naming(
    transaction,
    issues,
    { kind: `content-group:${typeId}`, nameLimit: GROUP_NAME_LIMIT, keepsIds },
    known,
  );
  const inputs = listOf(issues, groups, 'content_groups');
  naming.claim(inputs);
  return inputs.map((input, index) => naming.name(input, `content_groups[${index}]`));
}
