import { seekCondition } from '../conditions.ts';
import type { PagePlan, SourceLanguage } from '../page-plan.ts';
import type { ConditionSql } from './condition-sql.ts';
import type { ReadDialect } from './read-dialect.ts';
import { join, raw, type Statement, sql } from './statement.ts';

const ASCENDING = raw('ASC');
const DESCENDING = raw('DESC');

/** Selects of (document, item, codename) that a listing is made of, without an order. */
export class BaseSql {
  readonly #dialect: ReadDialect;
  readonly #conditions: ConditionSql;

  constructor(dialect: ReadDialect, conditions: ConditionSql) {
    this.#dialect = dialect;
    this.#conditions = conditions;
  }

  /** Documents by their index rows in slots of one language. */
  entries(
    plan: PagePlan,
    inSlot: Statement,
    language: SourceLanguage | undefined,
    keys: Statement,
  ): Statement {
    const { index, hasBit } = this.#dialect;
    return join([
      sql`SELECT e.document AS document, e.item AS item, e.codename AS codename, e.key AS key
        FROM entry e${index('entry_key')} WHERE ${inSlot} AND ${keys} AND ${hasBit('e.visible', plan.channelBit)}`,
      // A document of a fallback language counts only where the view resolves to it.
      ...(language?.fallback === false ? [] : [resolvedAs(plan, 'e')]),
      ...plan.conditions.map((condition) => sql`AND ${this.#conditions.probe(condition, 'e')}`),
    ]);
  }

  /** Documents by the table `resolved` of the view. */
  resolved(plan: PagePlan, sets: boolean): Statement {
    const { index, oneOf, filter } = this.#dialect;
    const single = plan.types?.length === 1 && !plan.codenames;
    return join([
      sql`SELECT r.document AS document, r.item AS item, r.codename AS codename
        FROM resolved r${index(single ? 'resolved_type' : 'resolved_codename')} WHERE r.view = ${plan.view}`,
      ...(plan.types ? [sql`AND ${oneOf(single ? 'r.type' : filter('r.type'), plan.types)}`] : []),
      ...(plan.languagesRestricted
        ? [sql`AND ${oneOf(filter('r.language'), numbersOf(plan.languages))}`]
        : []),
      ...(plan.codenames ? [sql`AND ${oneOf('r.codename', plan.codenames)}`] : []),
      ...(plan.after === undefined ? [] : [sql`AND r.codename > ${plan.after}`]),
      ...plan.conditions.map((condition) => sql`AND ${this.#conditions.tested(plan, condition, 'r', sets)}`),
    ]);
  }

  /** Documents by the index rows of one condition. */
  sought(plan: PagePlan, driver: number, sets: boolean): Statement {
    const { index, oneOf, hasBit } = this.#dialect;
    const condition = seekCondition(plan.conditions[driver], false);
    if (!condition) throw new Error('Only a condition on slots can drive a listing.');
    const rest = plan.conditions.filter((_, index) => index !== driver);
    const fallback = plan.languages.some((language) => language.fallback);
    // Only several keys can find a document twice: it has one type, one language and each key once.
    const several = condition.test.kind === 'one-of' && condition.test.keys.length > 1;
    return join([
      sql`SELECT ${raw(several ? 'DISTINCT' : '')} f.document AS document, f.item AS item, f.codename AS codename
        FROM entry f${index('entry_key')} WHERE ${oneOf('f.slot', condition.slots)} AND ${this.#conditions.keyTest(condition.test, 'f.key')}
        AND ${hasBit('f.visible', plan.channelBit)}`,
      ...(fallback ? [resolvedAs(plan, 'f')] : []),
      ...(plan.after === undefined ? [] : [sql`AND f.codename > ${plan.after}`]),
      ...rest.map((condition) => sql`AND ${this.#conditions.tested(plan, condition, 'f', sets)}`),
    ]);
  }
}

export function direction({ descending }: PagePlan['order']): Statement {
  return descending ? DESCENDING : ASCENDING;
}

export function numbersOf(languages: readonly SourceLanguage[]): number[] {
  return languages.map((language) => language.number);
}

function resolvedAs(plan: PagePlan, alias: string): Statement {
  return sql`AND (SELECT m.document FROM resolved m WHERE m.view = ${plan.view} AND m.item = ${raw(alias)}.item) = ${raw(alias)}.document`;
}
