import { LRUCache } from 'lru-cache';
import { isDeliveryParameter } from '../../core/contract.ts';
import type { BasesFacet, SurfaceFacet } from '../contract.ts';

/** What is asked, without what does not matter for the answer. */
export interface Question {
  readonly key: string;
  /** As core is asked: `/{project}/items`, project in lower case. */
  readonly path: string;
  /** Known parameters in the order given, each encoded one way. */
  readonly query: string;
  readonly project: string;
  /** Whether shared caches in front may keep the answer. */
  readonly isPublic: boolean;
}

/** What a question is made from. */
export interface Asked {
  readonly surface: SurfaceFacet;
  readonly bases: BasesFacet;
  readonly isPublic: boolean;
}

/** A longer URL is asked anew each time; clients send up to 65,519 characters. */
const LONGEST = 16_384;
const REMEMBERED_BYTES = 16_777_216;

/** What was last asked by a URL: the gateway knows URLs again, and a look by their facets needs no text. */
interface Latest {
  readonly bases: BasesFacet;
  readonly question: Question;
}

/**
 * The question of a request, remembered under what came; undefined where it cannot be told, and core is to say what
 * is wrong with it. The token is no part of it: who may not read has been refused before.
 */
export function questions(): (asked: Asked) => Question | undefined {
  const known = new LRUCache<string, Question>({ maxSize: REMEMBERED_BYTES });
  const latest = new WeakMap<SurfaceFacet, Latest>();
  return (asked) => {
    const { surface, bases, isPublic } = asked;
    const before = latest.get(surface);
    if (before?.bases === bases && before.question.isPublic === isPublic) return before.question;
    const question = remembered(asked);
    if (question !== undefined) latest.set(surface, { bases, question });
    return question;
  };

  function remembered({ surface, bases, isPublic }: Asked): Question | undefined {
    const { name, path, query } = surface;
    if (path.length + query.length > LONGEST) return undefined;
    const where = `${name} ${isPublic ? 'public' : 'private'} ${bases[name as 'delivery']} ${bases.assets}`;
    const raw = `${where} ${path}?${query}`;
    let question = known.get(raw);
    if (question === undefined) {
      question = canonical(where, path, query, isPublic);
      if (question !== undefined) known.set(raw, question, { size: 200 + 4 * raw.length });
    }
    return question;
  }
}

function canonical(where: string, path: string, query: string, isPublic: boolean): Question | undefined {
  try {
    const [project = '', ...segments] = path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent);
    if (segments.length === 0) return undefined;
    const tidyPath = `/${[project.toLowerCase(), ...segments].map(encodeURIComponent).join('/')}`;
    const tidyQuery = knownParameters(query);
    const key = `${where} ${tidyPath}?${tidyQuery}`;
    return { key, path: tidyPath, query: tidyQuery, project: project.toLowerCase(), isPublic };
  } catch {
    return undefined;
  }
}

/** @throws URIError */
function knownParameters(query: string): string {
  if (query === '') return '';
  const kept: string[] = [];
  for (const part of query.split('&')) {
    const at = part.indexOf('=');
    const name = decode(at < 0 ? part : part.slice(0, at));
    // Also of what does not count: broken encoding anywhere is an error that core tells.
    const value = at < 0 ? undefined : decode(part.slice(at + 1));
    if (!isDeliveryParameter(name)) continue;
    const encoded = encodeURIComponent(name);
    kept.push(value === undefined ? encoded : `${encoded}=${encodeURIComponent(value)}`);
  }
  return kept.join('&');
}

/** `+` is a space, as core reads it. */
function decode(text: string): string {
  const decoded = decodeURIComponent(text.includes('+') ? text.replaceAll('+', ' ') : text);
  if (decoded.includes('\0')) throw new URIError('A null byte.');
  return decoded;
}
