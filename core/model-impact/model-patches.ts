import type { LanguageChange } from '../content/languages.ts';
import type { Language } from '../model/model.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';

export type PatchedPart = 'type' | 'snippet' | 'taxonomy';

/** The operations of a PATCH of the management API, which alone knows their form. Each throws `invalidBody`. */
export interface ModelPatches {
  /** @param id of the part; throws where there is none */
  apply(
    transaction: ProjectTransaction,
    part: PatchedPart,
    id: string,
    operations: readonly unknown[],
  ): Promise<void>;
  ofLanguage(language: Language, operations: readonly unknown[]): LanguageChange;
}
