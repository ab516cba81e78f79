/** Parameters of delivery URLs that are no filters (spec 4.1). */
const DELIVERY_PARAMETERS = [
  'language',
  'elements',
  'depth',
  'skip',
  'limit',
  'order',
  'includeTotalCount',
] as const;
export type DeliveryParameter = (typeof DELIVERY_PARAMETERS)[number];

const NAMES: ReadonlySet<string> = new Set(DELIVERY_PARAMETERS);

export function isReserved(name: string): name is DeliveryParameter {
  return NAMES.has(name);
}

/** Whether a parameter decides about an answer: one of these names, a filter, or an error for its brackets. */
export function isDeliveryParameter(name: string): boolean {
  return isReserved(name) || name.startsWith('system.') || name.startsWith('elements.') || name.includes('[');
}
