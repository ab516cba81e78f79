import { call } from '../api.ts';
import type { Reference } from '../screens/item/managed.ts';
import { permits, type SessionProject } from '../session.ts';

/** An item before it has content. */
export interface NewItem {
  readonly name: string;
  readonly type: Reference;
  /** Absent: made from the name. */
  readonly codename?: string;
  readonly sitemap_locations?: readonly Reference[];
}

/**
 * Whether the person may create an item of a type and write it in a language.
 * @param type, language codenames; absent: of some type, in some language
 */
export function mayCreate(project: SessionProject | undefined, type?: string, language?: string): boolean {
  return permits(project, 'create-content', type) && permits(project, 'edit-content', type, language);
}

/** Creates an item without content. @throws ApiError */
export function createItem(project: string, item: NewItem): Promise<Reference> {
  return call('POST', `manage/projects/${project}/items`, item);
}

/** Makes an empty draft of an item. @param language id @throws ApiError */
export async function createDraft(project: string, item: string, language: string): Promise<void> {
  await call('PUT', `manage/projects/${project}/items/${item}/variants/${language}`, { elements: [] });
}
