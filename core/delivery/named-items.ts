/** Items that filters name, looked up before planning. */
export interface NamedItems {
  readonly idOf: ReadonlyMap<string, string>;
  readonly codenameOf: ReadonlyMap<string, string>;
}
