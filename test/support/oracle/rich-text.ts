/** Rich text as delivery shows it (spec 2.2), written from the blocks and not from any HTML. */
import {
  type Block,
  byKey,
  fieldsOf,
  type Inline,
  type OracleComponent,
  type OracleRichText,
} from './content.ts';
import { assetUrl, type Bases } from './urls.ts';
import { type Found, find, openView, type View } from './view.ts';

/** Codename of a component: its id with `_` for `-`, `n` in front when it starts with a digit. */
export function componentCodename(id: string): string {
  const plain = id.replaceAll('-', '_');
  return /^[0-9]/.test(plain) ? `n${plain}` : plain;
}

/** Items embedded by the text itself, in order, each once; those of its components are not among them. */
export function embeddedItems(value: OracleRichText): string[] {
  return [...new Set(value.blocks.flatMap((block) => (block.block === 'item' ? [block.item] : [])))];
}

export function embeddedComponents(value: OracleRichText): OracleComponent[] {
  return value.blocks.flatMap((block) => (block.block === 'component' ? [block.component] : []));
}

export function isEmptyRichText(value: OracleRichText): boolean {
  return value.blocks.length === 0;
}

export function richTextJson(view: View, found: Found, value: OracleRichText, bases: Bases): object {
  const { content } = view;
  const images: Record<string, object> = {};
  const links: Record<string, object> = {};
  // A document is made in its own language, whichever language the reader came by.
  const own = openView(content, view.channel, found.language.codename);
  for (const block of value.blocks) {
    if (block.block === 'figure') {
      const asset = byKey(content.assets, block.asset);
      images[asset.id] = {
        image_id: asset.id,
        description: asset.descriptions[found.language.key] ?? '',
        url: assetUrl(content, asset, bases),
      };
    }
    for (const inline of inlinesOf(block)) {
      if (!('linkTo' in inline)) continue;
      const target = find(own, byKey(content.items, inline.linkTo));
      if (!target) continue;
      const type = byKey(content.types, target.item.type);
      links[target.item.id] = {
        codename: target.item.codename,
        type: type.codename,
        url_slug: slugOf(own, target),
      };
    }
  }
  const items = embeddedItems(value).map((key) => byKey(content.items, key).codename);
  const components = embeddedComponents(value).map((component) => componentCodename(component.id));
  return {
    images,
    links,
    modular_content: [...items, ...components],
    value: html(view, found, value, bases),
  };
}

function slugOf(view: View, found: Found): string {
  const type = byKey(view.content.types, found.item.type);
  const field = fieldsOf(view.content, type).find(({ element }) => element.kind === 'url_slug');
  const value = field && found.version.values[field.element.key];
  return typeof value === 'string' ? value : '';
}

function inlinesOf(block: Block): readonly Inline[] {
  if ('inlines' in block) return block.inlines;
  return 'entries' in block ? block.entries.flat() : [];
}

function html(view: View, found: Found, value: OracleRichText, bases: Bases): string {
  if (isEmptyRichText(value)) return '<p><br></p>';
  return value.blocks.map((block) => blockHtml(view, found, block, bases)).join('\n');
}

function blockHtml(view: View, found: Found, block: Block, bases: Bases): string {
  const { content } = view;
  const object = (rel: string, codename: string) =>
    `<object type="application/${content.mediaType}" data-type="item" data-rel="${rel}" data-codename="${codename}"></object>`;
  switch (block.block) {
    case 'figure': {
      const asset = byKey(content.assets, block.asset);
      const ids = `data-asset-id="${asset.id}" data-image-id="${asset.id}"`;
      const alt = escapeAttribute(asset.descriptions[found.language.key] ?? '');
      const url = escapeAttribute(assetUrl(content, asset, bases));
      return `<figure ${ids}><img src="${url}" ${ids} alt="${alt}"></figure>`;
    }
    case 'item':
      return object('link', byKey(content.items, block.item).codename);
    case 'component':
      return object('component', componentCodename(block.component.id));
    case 'ul':
    case 'ol': {
      const entries = block.entries.map(
        (entry) => `<li>${entry.map((one) => inlineHtml(view, one)).join('')}</li>`,
      );
      return `<${block.block}>${entries.join('')}</${block.block}>`;
    }
    default:
      return `<${block.block}>${block.inlines.map((one) => inlineHtml(view, one)).join('')}</${block.block}>`;
  }
}

function inlineHtml(view: View, inline: Inline): string {
  if ('linkTo' in inline) {
    const id = byKey(view.content.items, inline.linkTo).id;
    return `<a data-item-id="${id}" href="">${escapeText(inline.text)}</a>`;
  }
  if ('href' in inline) return `<a href="${escapeAttribute(inline.href)}">${escapeText(inline.text)}</a>`;
  const text = escapeText(inline.text);
  return inline.mark ? `<${inline.mark}>${text}</${inline.mark}>` : text;
}

/** The same blocks as an editor would send them to the management side. */
export function managementHtml(view: View, value: OracleRichText): string {
  return value.blocks
    .map((block) => {
      switch (block.block) {
        case 'figure':
          return `<figure data-asset-id="${byKey(view.content.assets, block.asset).id}"></figure>`;
        case 'item':
          return managementObject(view, 'item', byKey(view.content.items, block.item).id);
        case 'component':
          return managementObject(view, 'component', block.component.id);
        case 'ul':
        case 'ol': {
          const entries = block.entries.map(
            (entry) => `<li>${entry.map((one) => inlineHtml(view, one)).join('')}</li>`,
          );
          return `<${block.block}>${entries.join('')}</${block.block}>`;
        }
        default:
          return `<${block.block}>${block.inlines.map((one) => inlineHtml(view, one)).join('')}</${block.block}>`;
      }
    })
    .join('\n');
}

function managementObject(view: View, kind: 'item' | 'component', id: string): string {
  return `<object type="application/${view.content.mediaType}" data-type="${kind}" data-id="${id}"></object>`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;');
}
