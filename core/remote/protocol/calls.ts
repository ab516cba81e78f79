import type { Core } from '../../compose/core.ts';
import type { HealthReport } from '../../http/health-report.ts';
import type { ProcessState } from '../../process-identity.ts';

type Access = Core['access'];
type Found<Lookup extends (name: string) => Promise<unknown>> = NonNullable<
  Awaited<ReturnType<Lookup>>
> | null;

/** Input and output of each call with JSON bodies, by name. */
export interface Calls {
  readonly project: { readonly input: { readonly id: string }; readonly output: Found<Access['project']> };
  readonly key: { readonly input: { readonly hash: string }; readonly output: Found<Access['key']> };
  readonly 'admin-token': { readonly input: { readonly hash: string }; readonly output: boolean };
  readonly 'keys-used': { readonly input: { readonly keys: readonly string[] }; readonly output: null };
  readonly usage: { readonly input: Parameters<Core['usage']['add']>[0]; readonly output: null };
  readonly quotas: {
    readonly input: { readonly project: string };
    readonly output: Awaited<ReturnType<Core['usage']['quotas']>>;
  };
  readonly 'feed-confirmed': {
    readonly input: {
      readonly gateway: string;
      readonly sequence: number;
      readonly process?: ProcessState | undefined;
    };
    readonly output: null;
  };
  readonly 'gateway-report': {
    readonly input: { readonly gateway: string; readonly request: string; readonly report?: unknown };
    readonly output: null;
  };
  readonly openapi: { readonly input: null; readonly output: Record<string, unknown> };
  readonly health: { readonly input: null; readonly output: HealthReport };
}

export type CallName = keyof Calls;
