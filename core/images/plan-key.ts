import type { ImagePlan } from '../../workers/images/image-transform.ts';

/**
 * The plan as text, with every field it has: equal plans have equal keys, whichever parameters they were computed
 * from (`w=0.5` of 300 pixels and `w=150` give one key). Names are sorted, so the order in which a plan was built
 * does not matter.
 */
export function planKey(plan: ImagePlan): string {
  return JSON.stringify(plan, sortNames);
}

function sortNames(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
