/** The calls that the running service documents, so that a new one is attacked as soon as it is described. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxProperties?: number;
  readonly format?: string;
}

export interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface ApiCall {
  readonly id: string;
  readonly surface: string;
  readonly method: string;
  /** With `{parameters}`. */
  readonly path: string;
  readonly parameters: readonly ApiParameter[];
  /** Media type → schema; empty for calls without a body. */
  readonly bodies: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
type PathItem = Readonly<Record<string, Operation>> & {
  readonly 'x-surface': string;
  readonly parameters?: readonly object[];
};

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const;

export class ApiCalls {
  readonly all: readonly ApiCall[];
  /** Schemas of things to be made, for places that may hold any of them. */
  readonly inputs: readonly Schema[];
  readonly #document: object;

  constructor(document: object) {
    this.#document = document;
    const { paths, components } = document as {
      readonly paths: Readonly<Record<string, PathItem>>;
      readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
    };
    this.inputs = Object.entries(components.schemas).flatMap(([name, schema]) =>
      name.endsWith('Input') || name === 'ManagedReference' ? [schema] : [],
    );
    this.all = Object.entries(paths).flatMap(([path, item]) =>
      METHODS.flatMap((method) => (item[method] ? [this.#call(path, item, method, item[method])] : [])),
    );
  }

  static async of(url: string): Promise<ApiCalls> {
    return new ApiCalls((await (await fetch(`${url}/docs/openapi.json`)).json()) as object);
  }

  resolve<Value extends object>(value: Value): Value {
    const target = (value as { readonly $ref?: string }).$ref;
    if (target === undefined) return value;
    let found: unknown = this.#document;
    for (const part of target.slice(2).split('/'))
      found = (found as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')];
    return this.resolve(found as Value);
  }

  #call(path: string, item: PathItem, method: string, operation: Operation): ApiCall {
    const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
    const content = operation.requestBody?.content ?? {};
    return {
      id: operation.operationId,
      surface: item['x-surface'],
      method: method.toUpperCase(),
      path,
      parameters: parameters.map((one) => this.resolve(one) as unknown as ApiParameter),
      bodies: Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, schema])),
    };
  }
}
