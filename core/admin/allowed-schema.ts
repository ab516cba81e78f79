import type { Schema } from '../http/openapi-shapes.ts';
import { ALLOWED } from '../publishing/allowed-acts.ts';

/** What the roles of the one who reads an object permit with it; keys and the admin token may do everything. */
export const ALLOWED_SCHEMA: Schema = { type: 'array', items: { type: 'string', enum: [...ALLOWED] } };
