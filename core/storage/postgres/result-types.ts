import type { CustomTypesConfig } from 'pg';

/** Type numbers of PostgreSQL's catalog (pg_type.dat). */
const OID = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int4: 23,
  float4: 700,
  float8: 701,
  numeric: 1700,
} as const;

/** Values of rows as SQLite gives them: numbers, texts, bytes; a boolean is 1 or 0. */
export const RESULT_TYPES: CustomTypesConfig = {
  getTypeParser(oid: number, format?: string) {
    if (format === 'binary') throw new Error('Results are read as text.');
    switch (oid) {
      case OID.bool:
        return (text: string) => (text === 't' ? 1 : 0);
      case OID.bytea:
        return (text: string) => Buffer.from(text.slice(2), 'hex');
      case OID.int8:
      case OID.numeric:
        return exactNumber;
      case OID.int2:
      case OID.int4:
      case OID.float4:
      case OID.float8:
        return Number;
      default:
        return (text: string) => text;
    }
  },
};

function exactNumber(text: string): number {
  const value = Number(text);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER)
    throw new Error(`The database returned ${text}, which is above 2^53.`);
  return value;
}
