/** The first calls of screens. */
import { listPath, listQuery } from './list/list-query.ts';
import type { ScreenPath } from './screen-name.ts';

/** The default language has the same id in all projects. */
export const DEFAULT_LANGUAGE = '00000000-0000-0000-0000-000000000000';

/** The calls of a screen that follow from its address. */
export function firstData(screen: ScreenPath, search: URLSearchParams): readonly string[] {
  const { name, project } = screen;
  const admin = `admin/projects/${project}`;
  switch (name) {
    case 'home':
      return [`${admin}/attention`];
    case 'content-list':
      return [listPath(project, listQuery(search), 0), ...modelData(project, ['types', 'languages'])];
    case 'item-editor':
      return [
        ...itemData(screen, search.has('language') ? undefined : DEFAULT_LANGUAGE),
        ...modelData(project),
      ];
    default:
      return [];
  }
}

/** The parts of the model. */
export function modelData(
  project: string,
  parts: readonly string[] = ['types', 'snippets', 'taxonomies', 'languages'],
): readonly string[] {
  return parts.map((part) => `manage/projects/${project}/${part}`);
}

/** An item and its variant. @param language its id, where it is known */
export function itemData({ project, object }: ScreenPath, language: string | undefined): readonly string[] {
  return [
    `admin/projects/${project}/items/${object}`,
    ...(language === undefined ? [] : [variantPath(project, object, language)]),
  ];
}

/** Of the management API. @param language id */
export function variantPath(project: string, item: string, language: string): string {
  return `manage/projects/${project}/items/${item}/variants/${language}`;
}
