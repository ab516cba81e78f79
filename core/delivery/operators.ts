/**
 * The filter operators (spec 4.1): which attributes each is for, and whether its value is a list. The README of this
 * folder lists what else a new one needs.
 */
export const OPERATORS = {
  eq: { of: 'value', takesList: false },
  neq: { of: 'value', takesList: false },
  lt: { of: 'value', takesList: false },
  lte: { of: 'value', takesList: false },
  gt: { of: 'value', takesList: false },
  gte: { of: 'value', takesList: false },
  range: { of: 'value', takesList: true },
  in: { of: 'value', takesList: true },
  nin: { of: 'value', takesList: true },
  contains: { of: 'list', takesList: false },
  any: { of: 'list', takesList: true },
  all: { of: 'list', takesList: true },
  empty: { of: 'either', takesList: false },
  nempty: { of: 'either', takesList: false },
} as const satisfies Record<string, { readonly of: AttributeKind; readonly takesList: boolean }>;

/** Attributes have one value, or a list of them; some operators are for both. */
type AttributeKind = 'value' | 'list' | 'either';

export type Operator = keyof typeof OPERATORS;
export type OperatorOf<Kind extends AttributeKind> = {
  [Name in Operator]: (typeof OPERATORS)[Name]['of'] extends Kind ? Name : never;
}[Operator];

export function isOperator(name: string): name is Operator {
  return Object.hasOwn(OPERATORS, name);
}

export function isOf<Kind extends AttributeKind>(
  kind: Kind,
  operator: Operator,
): operator is OperatorOf<Kind> {
  return OPERATORS[operator].of === kind;
}
