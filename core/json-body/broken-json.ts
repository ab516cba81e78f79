import { createScanner } from 'jsonc-parser';
import type { ValidationIssue } from '../errors.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { positionAt } from './position-at.ts';

/** Tokens of the scanner; the library declares them as a constant enum, which does not exist at run time. */
const TOKEN = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  comma: 5,
  colon: 6,
  string: 10,
  comments: [12, 13],
  whitespace: [14, 15],
  values: [7, 8, 9, 10, 11],
  end: 17,
} as const;

/** Of `getTokenError`. */
const TOKEN_ERRORS: Readonly<Record<number, string>> = {
  1: 'A comment has no end',
  2: 'A string has no closing quote',
  3: 'A number is not complete',
  4: 'The escape \\u is followed by four hexadecimal digits',
  5: 'There is no such escape',
  6: 'Control characters must be escaped in strings',
};

/** Tokens that are read before the turn may end. */
const TOKENS = 4096;

/** A token with more characters takes milliseconds. */
const LONG = 65_536;

type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end' | 'nothing';

const EXPECTED: Readonly<Record<Expected, string>> = {
  value: 'a value',
  'value or end': "a value or ']'",
  name: 'a property name in double quotes',
  'name or end': "a property name in double quotes or '}'",
  colon: "':'",
  'comma or end': "',' or the closing bracket",
  nothing: 'the end of the body',
};

/** The first error in a text that is not JSON. Works without recursion, since the text may be nested to any depth. */
export async function describeBrokenJson(text: string): Promise<ValidationIssue> {
  const scanner = createScanner(text, false);
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  const issue = async (what: string): Promise<ValidationIssue> => ({
    message: `The body is not valid JSON${what}.`,
    ...(await positionAt(text, scanner.getTokenOffset())),
  });
  for (let tokens = 1; ; tokens++) {
    const from = scanner.getPosition();
    const token: number = scanner.scan();
    if ((tokens % TOKENS === 0 || scanner.getPosition() - from > LONG) && isTurnLong()) await nextTurn();
    if ((TOKEN.whitespace as readonly number[]).includes(token)) continue;
    const error = TOKEN_ERRORS[scanner.getTokenError()];
    if (error) return issue(`: ${error}`);
    if ((TOKEN.comments as readonly number[]).includes(token)) return issue(': it must not hold comments');
    const next = follow(token, expected, open);
    if (next === undefined) {
      const found =
        token === TOKEN.end
          ? 'the body ends'
          : `'${shown(text.slice(scanner.getTokenOffset(), scanner.getPosition()))}' is`;
      return issue(`: ${found} where ${EXPECTED[expected]} is expected`);
    }
    // The strict parser found an error that this one does not know.
    if (token === TOKEN.end) return issue('');
    expected = next;
  }
}

function follow(token: number, expected: Expected, open: ('{' | '[')[]): Expected | undefined {
  const afterValue = (): Expected => (open.length === 0 ? 'nothing' : 'comma or end');
  switch (expected) {
    case 'nothing':
      return token === TOKEN.end ? 'nothing' : undefined;
    case 'colon':
      return token === TOKEN.colon ? 'value' : undefined;
    case 'name or end':
    case 'name':
      if (token === TOKEN.string) return 'colon';
      if (token !== TOKEN.closeBrace || expected === 'name') return undefined;
      open.pop();
      return afterValue();
    case 'comma or end': {
      const innermost = open.at(-1);
      if (token === TOKEN.comma) return innermost === '{' ? 'name' : 'value';
      if (token !== (innermost === '{' ? TOKEN.closeBrace : TOKEN.closeBracket)) return undefined;
      open.pop();
      return afterValue();
    }
    case 'value or end':
    case 'value':
      if (token === TOKEN.closeBracket && expected === 'value or end') {
        open.pop();
        return afterValue();
      }
      if (token === TOKEN.openBrace || token === TOKEN.openBracket) {
        open.push(token === TOKEN.openBrace ? '{' : '[');
        return token === TOKEN.openBrace ? 'name or end' : 'value or end';
      }
      return (TOKEN.values as readonly number[]).includes(token) ? afterValue() : undefined;
  }
}

function shown(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
