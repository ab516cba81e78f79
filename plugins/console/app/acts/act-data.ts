import { call, get, type Issue } from '../api.ts';
import type { Named } from '../list/project-data.ts';
import { isReadAgain, pauseAfter, pauseFor } from '../retry-after.ts';

export const ACTS = [
  'publish',
  'schedule',
  'cancel_schedule',
  'unpublish',
  'archive',
  'restore',
  'move',
  'change_step',
] as const;
export type ActName = (typeof ACTS)[number];

/** Those whose plan checks drafts. */
export const CHECKS_DRAFTS: ReadonlySet<ActName> = new Set(['publish', 'schedule']);

/** What the server permits this person with an object. */
export type Allowed = 'edit' | ActName;

/** The body of an act, as the admin API has it. */
export interface ActBody {
  readonly objects?: readonly {
    readonly item: { readonly id: string };
    readonly language?: { readonly id: string };
  }[];
  readonly filter?: string;
  readonly languages?: readonly { readonly id: string }[];
  readonly scheduled_to?: string;
  readonly sitemap_locations?: readonly { readonly id: string }[];
  readonly workflow_step?: string;
  readonly include_linked?: boolean;
}

interface Findings<T> {
  readonly count: number;
  readonly first: readonly T[];
}

interface Variant {
  readonly item: Named;
  readonly language: Named;
}

/** A reference that readers cannot follow. */
export interface Dangling {
  readonly from: Variant;
  readonly to: { readonly id: string; readonly name: string | null };
  readonly reason: 'missing' | 'archived' | 'unpublished';
}

export type Change =
  | 'publish'
  | 'replace'
  | 'cancel_schedule'
  | 'unpublish'
  | 'archive'
  | 'restore'
  | 'move'
  | 'new_version'
  | 'none';

export interface Plan {
  readonly act: ActName;
  /** Names the plan; the act is refused where it would be another one. */
  readonly version: string;
  readonly scheduled_to: string | null;
  readonly total: number;
  readonly is_job: boolean;
  readonly changes: Readonly<Partial<Record<Change, number>>>;
  readonly objects: readonly {
    readonly item: Named;
    readonly language: Named | null;
    readonly change: Change;
    readonly is_included: boolean;
    /** What the draft changes of the public version; null where there is none. */
    readonly elements: readonly Named[] | null;
  }[];
  /** Drafts that `dangling` leads to. */
  readonly linked_drafts: Findings<Variant>;
  readonly dangling: Findings<Dangling>;
  readonly broken_links: Findings<{ readonly from: Variant; readonly to: Named }>;
  readonly fallbacks: Findings<{
    readonly item: Named;
    readonly language: Named;
    readonly shows: Named | null;
  }>;
  readonly violations: Findings<Issue>;
  readonly shown_by: Findings<Variant>;
  readonly webhook_count: number;
  readonly webhooks: readonly { readonly id: string; readonly name: string }[];
}

export interface Act {
  readonly id: string;
  readonly act: ActName;
  readonly state: 'running' | 'taking_back' | 'done' | 'failed' | 'canceled';
  readonly done: number;
  readonly total: number;
  readonly error: string | null;
  readonly can_undo: boolean;
}

const pathOf = (project: string, act: ActName) => `admin/projects/${project}/acts/${act.replace('_', '-')}`;

export const planAct = (project: string, act: ActName, body: ActBody, signal?: AbortSignal) =>
  call<Plan>('POST', `${pathOf(project, act)}?plan=true`, body, signal);

/** @param plan what the person has seen; the act is refused if something else would change now */
export const startAct = (project: string, act: ActName, body: ActBody, plan: Plan) =>
  call<Act>('POST', pathOf(project, act), { ...body, expected: plan.total, plan: plan.version });

/** Cancels the act, or takes it back when it is done. */
export const undoAct = (project: string, { act, id }: Act) =>
  call<Act>('DELETE', `${pathOf(project, act)}/${id}`);

/** Pause between two looks at a running act, ms. */
const LOOK = 400;

/** Whether the act has ended, and nothing of it is being taken back. */
export const hasEnded = ({ state }: Act) => state !== 'running' && state !== 'taking_back';

/**
 * Follows an act until it has ended.
 * @throws ApiError where it cannot be read for a while; the reason of the signal once it has fired
 */
export async function followAct(
  project: string,
  act: Act,
  onProgress: (act: Act) => void,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  let pause = LOOK;
  for (let seen = act; !hasEnded(seen); onProgress(seen)) {
    await pauseFor(pause, signal);
    try {
      seen = await get<Act>(`admin/projects/${project}/acts/${act.id}`, signal);
      failures = 0;
      pause = LOOK;
    } catch (error) {
      if (!isReadAgain(failures, error)) throw error;
      pause = pauseAfter(failures, error);
      failures += 1;
    }
  }
}
