/** Answers of core with their tags, and the versions of tags that the change feed delivers. */
import type { Change, Core, CoreRequest } from '../../../core/contract.ts';
import { ServiceError } from '../../../core/contract.ts';
import type { ContentRequest } from '../random/read-content.ts';

export interface TaggedAnswer {
  readonly status: number;
  /** Empty for a 304. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly tags: readonly string[] | undefined;
  readonly sequence: number | undefined;
  readonly streamed: boolean;
}

const BASES = { self: 'https://delivery.example', assets: 'https://assets.example' };

export async function readTagged(
  core: Pick<Core, 'handle'>,
  { channel, path, query }: ContentRequest,
  more: Pick<CoreRequest, 'known' | 'atLeast' | 'timing'> & { readonly ifNoneMatch?: string } = {},
): Promise<TaggedAnswer> {
  const { ifNoneMatch, known, atLeast, timing } = more;
  try {
    const answer = await core.handle({
      surface: channel === 'published' ? 'delivery' : 'preview',
      method: 'GET',
      path,
      query,
      headers: ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch },
      bases: BASES,
      principal: { kind: 'anonymous' },
      requestId: 'test',
      ...(known && { known }),
      ...(atLeast !== undefined && { atLeast }),
      ...(timing && { timing }),
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body ?? []) chunks.push(chunk);
    const { status, headers, tags, sequence, body } = answer;
    const streamed = body !== null && !Array.isArray(body);
    return { status, headers, tags, sequence, text: Buffer.concat(chunks).toString(), streamed };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { status, message, tags, sequence, code } = error;
    return { status, headers: {}, tags, sequence, text: `${code} ${message}`, streamed: false };
  }
}

/** The version of each tag, as a gateway has it from the feed alone. */
export class FeedTags {
  readonly #versions = new Map<string, number>();
  /** Older answers are outdated. */
  #floor = 0;

  constructor(core: Pick<Core, 'feed'>, project: string) {
    core.feed.subscribe(
      (change: Change) => {
        if (change.project !== project) return;
        for (const tag of [...change.tags, '*']) this.#versions.set(tag, change.sequence);
      },
      ({ sequence }) => {
        this.#floor = sequence;
      },
    );
  }

  holds({ tags, sequence }: Pick<TaggedAnswer, 'tags' | 'sequence'>): boolean {
    if (!tags || sequence === undefined || sequence < this.#floor) return false;
    return tags.every((tag) => (this.#versions.get(tag) ?? 0) <= sequence);
  }
}
