/** Codes of the characters that JSON is made of (RFC 8259 section 2). */
export const QUOTE = 0x22;
export const MINUS = 0x2d;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const SMALL_U = 0x75;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

export function isWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
