/** Messages between the console and the page of a custom element. All have the property `customElement`. */

/** What a page may ask for; each answer goes to the callback or promise of the call. */
export type Asked = 'elementValue' | 'selectAssets' | 'assetDetails' | 'selectItems' | 'itemDetails';

export type FromPage =
  | { readonly kind: 'init' }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'height'; readonly height: unknown }
  | { readonly kind: 'observe'; readonly codenames: unknown }
  | { readonly kind: 'ask'; readonly id: number; readonly what: Asked; readonly argument: unknown };

export interface ElementFacts {
  readonly value: string | null;
  readonly disabled: boolean;
  /** The element's parameters in the content type. */
  readonly config: unknown;
}

export interface ContextFacts {
  readonly projectId: string;
  readonly item: { readonly id: string; readonly codename: string; readonly name: string };
  readonly variant: { readonly id: string; readonly codename: string };
}

export type ToPage =
  | { readonly kind: 'init'; readonly element: ElementFacts; readonly context: ContextFacts }
  | { readonly kind: 'disabled'; readonly isDisabled: boolean }
  | { readonly kind: 'changed'; readonly codenames: readonly string[] }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown };
