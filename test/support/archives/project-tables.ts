/** Tables that an import of a project writes. */
export const PROJECT_TABLES = [
  ...[
    'project',
    'language',
    'taxonomy',
    'snippet',
    'content_type',
    'item',
    'variant',
    'version',
    'asset',
    'file',
  ],
  ...['document', 'uses', 'entry', 'resolved', 'tally', 'resolved_block', 'pending', 'api_key'],
] as const;
