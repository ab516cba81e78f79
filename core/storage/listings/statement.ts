import type { SqlValue } from '../sql.ts';

/** SQLite allows 32,766 parameters in a statement; the page around a listing needs a few. */
export const PARAMETER_LIMIT = 30_000;

/** SQL with its parameters in the order of their position in the text. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly SqlValue[];
}

/** Tagged template: values become parameters, statements become part of the text. */
export function sql(strings: TemplateStringsArray, ...values: readonly (SqlValue | Statement)[]): Statement {
  let text = strings[0] ?? '';
  const parameters: SqlValue[] = [];
  let index = 1;
  for (const value of values) {
    if (isStatement(value)) {
      text += value.text;
      for (const parameter of value.parameters) parameters.push(parameter);
    } else {
      text += '?';
      parameters.push(value);
    }
    text += strings[index++] ?? '';
  }
  return { text, parameters };
}

function isStatement(value: SqlValue | Statement): value is Statement {
  return typeof value === 'object' && value !== null && 'text' in value;
}

/** SQL text of this folder; never a caller's text. */
export function raw(text: string): Statement {
  return { text, parameters: [] };
}

export function join(parts: readonly Statement[], separator = ' '): Statement {
  let text = '';
  const parameters: SqlValue[] = [];
  for (const part of parts) {
    text += text === '' ? part.text : separator + part.text;
    for (const parameter of part.parameters) parameters.push(parameter);
  }
  return { text, parameters };
}
