type Json = Record<string, unknown>;

/** What the OpenAPI document says of one call of the admin API. */
export interface DocumentedCall {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly query?: readonly string[];
  /** JSON schema of the body's properties. */
  readonly body?: { readonly properties: Json; readonly required?: readonly string[] };
  /** None = 204. */
  readonly optionalBody?: true;
  readonly answer?: Json;
  readonly created?: true;
  /** May end in 409. */
  readonly conflict?: true;
  /** An archive comes with the call, or is the answer. */
  readonly archive?: 'request' | 'answer';
}
