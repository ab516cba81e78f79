/**
 * The pairs of type and operation that notifications report (spec 6.3), one bit each. A queue stores the mask of its
 * webhook's choice, and events are found by it. The database stores the bits, so the order never changes; a new pair
 * goes to the end.
 */
export const EVENT_PAIRS = [
  ['asset', 'upsert'],
  ['content_item', 'archive'],
  ['content_item', 'restore'],
  ['content_item', 'restore_publish'],
  ['content_item', 'publish'],
  ['content_item', 'unpublish'],
  ['content_item', 'upsert'],
  ['content_item_variant', 'archive'],
  ['content_item_variant', 'restore'],
  ['content_item_variant', 'restore_publish'],
  ['content_item_variant', 'publish'],
  ['content_item_variant', 'unpublish'],
  ['content_type', 'upsert'],
  ['project', 'archive'],
  ['project', 'restore'],
  ['project_settings', 'upsert'],
  ['sitemap', 'upsert'],
  ['taxonomy', 'archive'],
  ['taxonomy', 'restore'],
  ['taxonomy', 'upsert'],
  // Only for webhooks that name it; it does not concern published content.
  ['content_item_variant', 'change_workflow_step'],
  // The manual test of a webhook.
  ['webhook', 'test'],
] as const satisfies readonly (readonly [type: string, operation: string])[];

export type EventType = (typeof EVENT_PAIRS)[number][0];
export type EventOperation = (typeof EVENT_PAIRS)[number][1];

const BIT = new Map<string, number>(
  EVENT_PAIRS.map(([type, operation], index) => [`${type} ${operation}`, 1 << index]),
);

/** Pairs that a webhook can choose among changes of published content (spec 6.3). */
const CONTENT_PAIRS = EVENT_PAIRS.filter(
  ([type, operation]) => type !== 'webhook' && operation !== 'change_workflow_step',
);
export const CONTENT_TYPES: ReadonlySet<string> = new Set(CONTENT_PAIRS.map(([type]) => type));
export const CONTENT_OPERATIONS: ReadonlySet<string> = new Set(
  CONTENT_PAIRS.map(([, operation]) => operation),
);

/** Operations that occur for a type; none for one that is no type. */
export function operationsOf(type: string): readonly string[] {
  return CONTENT_PAIRS.flatMap(([one, operation]) => (one === type ? [operation] : []));
}

export const WORKFLOW_STEP_KIND = kindOf('content_item_variant', 'change_workflow_step');
export const TEST_KIND = kindOf('webhook', 'test');

/** @throws Error for an unknown pair */
export function kindOf(type: EventType, operation: EventOperation): number {
  const bit = BIT.get(`${type} ${operation}`);
  if (bit === undefined) throw new Error(`There is no notification of '${type} ${operation}'.`);
  return bit;
}

/** The pair of a stored kind. */
export function pairOf(kind: number): { readonly type: EventType; readonly operation: EventOperation } {
  const [type, operation] = EVENT_PAIRS[31 - Math.clz32(kind)] ?? EVENT_PAIRS[0];
  return { type, operation };
}

/** The events that a webhook receives; empty lists mean everything. */
export interface WebhookTriggers {
  readonly contentChanges: readonly { readonly type: string; readonly operations: readonly string[] }[];
  /** Ids of workflow steps. */
  readonly workflowSteps: readonly { readonly type: string; readonly transitionsTo: readonly string[] }[];
}

/** `restore_publish` restores published content, so a webhook that chose `restore` receives it too (spec 6.3). */
function coveringOperation(operation: EventOperation): EventOperation {
  return operation === 'restore_publish' ? 'restore' : operation;
}

/**
 * No trigger means everything in spec 6.3, a type without operations every operation on it. A webhook that names only
 * workflow steps receives only those.
 */
export function maskOf({ contentChanges, workflowSteps }: WebhookTriggers): number {
  let mask = workflowSteps.length > 0 ? WORKFLOW_STEP_KIND : 0;
  const everything = contentChanges.length === 0 && workflowSteps.length === 0;
  for (const [type, operation] of CONTENT_PAIRS) {
    const kind = kindOf(type, operation);
    const chosen = contentChanges.some(
      ({ type: wanted, operations }) =>
        wanted === type &&
        (operations.length === 0 ||
          operations.includes(operation) ||
          operations.includes(coveringOperation(operation))),
    );
    if (everything || chosen) mask |= kind;
  }
  return mask;
}
