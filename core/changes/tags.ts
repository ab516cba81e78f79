import type { Channel } from '../model/model.ts';

/**
 * The names under which answers are cached and changes are announced. An answer has the tags of what it shows, a change
 * those of what it touched; both are made here, so that they match. The table is in this folder's README.
 */

/** For answers with too many tags, and for each change of a project. */
export const EVERYTHING = '*';
/** Any type, and any snippet or taxonomy group that types show. */
export const TYPES = 'types';
export const TAXONOMIES = 'taxonomies';
/** Any language: its name, whether it is active, its fallback. */
export const LANGUAGES = 'languages';

/** Which projects there are. */
export const PROJECTS = 'projects';

/** One key: whether it is valid, and its user. */
export function keyTag(id: string): string {
  return `key:${id}`;
}

/** Which keys a project has. */
export function keysTag(project: string): string {
  return `keys:${project}`;
}

/** Which webhooks a project has. */
export function webhooksTag(project: string): string {
  return `webhooks:${project}`;
}

/** An uploaded file and images made from it. */
export function assetFileTag(id: string): string {
  return `asset-file:${id}`;
}

/** Everything that readers get of a project. */
export function projectTag(id: string): string {
  return `project:${id}`;
}

export function typeTag(codename: string): string {
  return `type:${codename}`;
}

export function taxonomyTag(codename: string): string {
  return `taxonomy:${codename}`;
}

/** The item with this id, visible to readers or not. */
export function itemIdTag(id: string): string {
  return `id:${id}`;
}

/** What readers of the channel get under an item's codename, if only that it is missing. */
export function itemTag(channel: Channel, codename: string): string {
  return `${PREFIX[channel]}item:${codename}`;
}

/** The same by storage number, for an item that an answer would show if it were visible. */
export function itemNumberTag(channel: Channel, number: number): string {
  return `${PREFIX[channel]}item:#${number}`;
}

/** The items of a type in the channel, and everything they are filtered or ordered by. */
export function membersTag(channel: Channel, type: string): string {
  return `${PREFIX[channel]}members:${type}`;
}

/** The same of every type. */
export function allMembersTag(channel: Channel): string {
  return membersTag(channel, EVERYTHING);
}

/** A saved draft does not change what is public, so previews have tags of their own. */
const PREFIX = { published: '', latest: 'preview-' } as const satisfies Record<Channel, string>;
