/**
 * What can be done to a project, as data: one list is done to the service and to the oracle. Things are
 * named by the oracle's keys; whatever carries `key` is made, or changed if it is known already.
 */
import type { OracleKind, OracleValues } from '../oracle/content.ts';

export interface TermStep {
  readonly key: string;
  readonly name: string;
  readonly codename: string;
  readonly terms: readonly TermStep[];
}

export interface NodeStep {
  readonly key: string;
  readonly name: string;
  readonly codename: string;
  readonly nodes: readonly NodeStep[];
}

export interface ElementStep {
  readonly key: string;
  readonly kind: OracleKind | 'guidelines' | 'snippet';
  readonly name: string;
  readonly codename: string;
  readonly options?: readonly { readonly key: string; readonly name: string; readonly codename: string }[];
  readonly mode?: 'single' | 'multiple';
  readonly group?: string;
  readonly snippet?: string;
  readonly dependsOn?: string;
}

export interface SnippetStep {
  readonly do: 'snippet';
  readonly key: string;
  readonly name: string;
  readonly codename: string;
  readonly elements: readonly ElementStep[];
}

export interface TypeStep {
  readonly do: 'type';
  readonly key: string;
  readonly name: string;
  readonly codename: string;
  readonly elements: readonly ElementStep[];
}

export type Step =
  | {
      readonly do: 'language';
      readonly key: string;
      readonly name: string;
      readonly codename: string;
      readonly active: boolean;
      readonly fallback: string | null;
    }
  | ({ readonly do: 'taxonomy' } & TermStep)
  | { readonly do: 'sitemap'; readonly nodes: readonly NodeStep[] }
  | SnippetStep
  | TypeStep
  | {
      readonly do: 'asset';
      readonly key: string;
      readonly fileName: string;
      readonly type: string;
      readonly content: string;
      /** By language key. */
      readonly descriptions: Readonly<Record<string, string>>;
    }
  | {
      readonly do: 'item';
      readonly key: string;
      readonly name: string;
      readonly codename: string;
      readonly type: string;
      readonly sitemap: readonly string[];
    }
  | {
      readonly do: 'variant';
      readonly item: string;
      readonly language: string;
      /** Elements not named stay as they are. */
      readonly values: OracleValues;
    }
  | {
      readonly do: 'publish' | 'unpublish' | 'new-version' | 'archive-variant' | 'restore-variant';
      readonly item: string;
      readonly language: string;
    }
  | { readonly do: 'archive-item' | 'restore-item'; readonly item: string };
