/** What others do, as the server reports it: queries that follow it are read again. */
import '@tanstack/preact-query';

/** What an object that changed is. */
export type Kind =
  | 'content_item'
  | 'content_item_variant'
  | 'content_type'
  | 'snippet'
  | 'taxonomy'
  | 'language'
  | 'sitemap'
  | 'asset'
  | 'asset_folders'
  | 'webhook'
  | 'key'
  | 'project'
  | 'user'
  | 'role'
  | 'job';

declare module '@tanstack/preact-query' {
  interface Register {
    queryMeta: {
      /** The query is read again when an object of these kinds changed; of the project, where the key begins with its id. */
      readonly follows?: readonly Kind[];
    };
  }
}
