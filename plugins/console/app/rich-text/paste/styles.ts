import type { Element } from './html-tree.ts';

/** What the markup and the styles of an element say about its text; undefined: as around it. */
export interface TextStyle {
  readonly strong?: boolean;
  readonly em?: boolean;
  readonly position?: 'sup' | 'sub' | 'baseline';
  readonly code?: boolean;
  readonly underline?: boolean;
  readonly strikethrough?: boolean;
  readonly colored?: boolean;
}

const OF_TAGS: Readonly<Record<string, TextStyle>> = {
  b: { strong: true },
  strong: { strong: true },
  i: { em: true },
  em: { em: true },
  cite: { em: true },
  dfn: { em: true },
  var: { em: true },
  sup: { position: 'sup' },
  sub: { position: 'sub' },
  code: { code: true },
  kbd: { code: true },
  samp: { code: true },
  tt: { code: true },
  u: { underline: true },
  ins: { underline: true },
  s: { strikethrough: true },
  strike: { strikethrough: true },
  del: { strikethrough: true },
  mark: { colored: true },
};

export function textStyleOf(element: Element): TextStyle {
  const style = { ...OF_TAGS[element.name] } as { -readonly [K in keyof TextStyle]: TextStyle[K] };
  const css = declarations(element);
  const weight = css.get('font-weight');
  if (weight !== undefined) style.strong = /^bold/.test(weight) || Number(weight) >= 600;
  const slant = css.get('font-style');
  if (slant !== undefined) style.em = /^(?:italic|oblique)/.test(slant);
  const raised = css.get('vertical-align');
  if (raised === 'super') style.position = 'sup';
  else if (raised === 'sub' || raised === 'baseline') style.position = raised;
  const line = `${css.get('text-decoration') ?? ''} ${css.get('text-decoration-line') ?? ''}`;
  if (line.includes('underline')) style.underline = true;
  if (line.includes('line-through')) style.strikethrough = true;
  if (isColor(css.get('background-color') ?? css.get('background'))) style.colored = true;
  return style;
}

/** The declarations of the attribute `style`, in lower case. */
export function declarations({ attributes }: Element): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const declaration of (attributes['style'] ?? '').split(';')) {
    const colon = declaration.indexOf(':');
    if (colon < 0) continue;
    found.set(
      declaration.slice(0, colon).trim().toLowerCase(),
      declaration
        .slice(colon + 1)
        .trim()
        .toLowerCase(),
    );
  }
  return found;
}

function isColor(value: string | undefined): boolean {
  return (
    value !== undefined &&
    !/^(?:transparent|none|initial|inherit|white|#fff(?:fff)?|rgba?\(255, ?255, ?255.*|.*, ?0\))$/.test(value)
  );
}
