/**
 * The layers of core, from the bottom up. A file imports its own folder and those above it in this list, types
 * included. A new folder gets the lowest position that its imports allow.
 */
export const CORE_LAYERS = [
  // What everything may use: the error catalogue, the log, failures that last, what a process is called, the time of calls, long work in pieces, strict JSON.
  'errors.ts',
  'log.ts',
  'lasting-failure.ts',
  'process-identity.ts',
  'call-timing.ts',
  'slow-call-log.ts',
  'turns',
  'json-body',
  // The ports to database and files, and their adapters.
  'storage',
  // Types, elements, codenames, values, rich text: definitions and loading.
  'model',
  // Long work with progress, loops that wake up for work.
  'jobs',
  // Tags of answers, versions of tags, the change feed, the history.
  'changes',
  // One transaction over one project, its change log, its commit.
  'transaction',
  // What is compiled of content: documents, index rows, staleness, recompilation.
  'read-model',
  // The domain.
  'content',
  // What a change of the model does to content.
  'model-impact',
  'publishing',
  'content-list',
  'webhooks',
  'access',
  'images',
  'assets',
  'mail',
  'usage',
  'transfer',
  'backup',
  'sample',
  'generate',
  // What every surface needs of HTTP, then the surfaces.
  'http',
  'files',
  'delivery',
  'management',
  'admin',
  'console',
  // The composition; core over HTTP; and what gateway and plugins import.
  'compose',
  'remote',
  'contract.ts',
] as const;
