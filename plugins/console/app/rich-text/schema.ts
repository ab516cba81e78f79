import { Schema } from 'prosemirror-model';
import { type LinkAttributes, linkAttributes } from './link.ts';

/**
 * The documents of the editor: one for each rich text that the service stores. List items and cells may mix text with
 * blocks; a *run* is their text between blocks, which has no tag.
 */
export const schema = new Schema({
  nodes: {
    doc: { content: 'block+' },
    paragraph: {
      content: 'inline*',
      group: 'block',
      whitespace: 'pre',
      parseDOM: [{ tag: 'p' }],
      toDOM: () => ['p', 0],
    },
    heading: {
      content: 'inline*',
      group: 'block',
      whitespace: 'pre',
      defining: true,
      attrs: { level: { default: 1, validate: 'number' } },
      parseDOM: [1, 2, 3, 4].map((level) => ({ tag: `h${level}`, attrs: { level } })),
      toDOM: ({ attrs }) => [`h${attrs['level']}`, 0],
    },
    ordered_list: {
      content: 'list_item*',
      group: 'block list',
      parseDOM: [{ tag: 'ol' }],
      toDOM: () => ['ol', 0],
    },
    bullet_list: {
      content: 'list_item*',
      group: 'block list',
      parseDOM: [{ tag: 'ul' }],
      toDOM: () => ['ul', 0],
    },
    list_item: {
      content: '(run | paragraph | list)+',
      defining: true,
      parseDOM: [{ tag: 'li' }],
      toDOM: () => ['li', 0],
    },
    run: {
      content: 'inline*',
      whitespace: 'pre',
      parseDOM: [{ tag: 'div.run' }],
      toDOM: () => ['div', { class: 'run' }, 0],
    },
    table: {
      content: 'table_body*',
      group: 'block',
      isolating: true,
      parseDOM: [{ tag: 'table' }],
      toDOM: () => ['table', 0],
    },
    // A body is what prosemirror-tables takes for a table: its rows form one grid.
    table_body: {
      content: 'table_row*',
      tableRole: 'table',
      isolating: true,
      selectable: false,
      parseDOM: [{ tag: 'tbody' }],
      toDOM: () => ['tbody', 0],
    },
    table_row: {
      content: 'table_cell*',
      tableRole: 'row',
      selectable: false,
      parseDOM: [{ tag: 'tr' }],
      toDOM: () => ['tr', 0],
    },
    table_cell: {
      content: '(run | paragraph | heading | list | figure | object)+',
      tableRole: 'cell',
      isolating: true,
      selectable: false,
      // The grammar has no spans; prosemirror-tables reads them.
      attrs: { colspan: { default: 1 }, rowspan: { default: 1 }, colwidth: { default: null } },
      parseDOM: [{ tag: 'td' }],
      toDOM: () => ['td', 0],
    },
    figure: {
      group: 'block',
      attrs: {
        asset: { validate: 'string' },
        description: { default: null, validate: 'string|null' },
      },
      draggable: true,
      toDOM: ({ attrs: { asset, description } }) => [
        'figure',
        { 'data-asset-id': asset },
        ['img', { 'data-asset-id': asset, alt: description }],
      ],
    },
    object: {
      group: 'block',
      attrs: {
        mediaType: { default: null, validate: 'string|null' },
        kind: { validate: 'string' },
        id: { validate: 'string' },
      },
      draggable: true,
      toDOM: ({ attrs }) => ['object', { 'data-type': attrs['kind'], 'data-id': attrs['id'] }],
    },
    text: { group: 'inline' },
    line_break: {
      inline: true,
      group: 'inline',
      selectable: false,
      parseDOM: [{ tag: 'br' }],
      toDOM: () => ['br'],
    },
  },
  // In the order in which they are written, the outermost first.
  marks: {
    link: {
      inclusive: false,
      attrs: {
        kind: { validate: 'string' },
        target: { validate: 'string' },
        subject: { default: null, validate: 'string|null' },
        newWindow: { default: null, validate: 'string|null' },
        title: { default: null, validate: 'string|null' },
      },
      toDOM: ({ attrs }) => ['a', Object.fromEntries(linkAttributes(attrs as LinkAttributes)), 0],
    },
    strong: { parseDOM: [{ tag: 'strong' }, { tag: 'b' }], toDOM: () => ['strong', 0] },
    em: { parseDOM: [{ tag: 'em' }, { tag: 'i' }], toDOM: () => ['em', 0] },
    sup: { parseDOM: [{ tag: 'sup' }], toDOM: () => ['sup', 0] },
    sub: { parseDOM: [{ tag: 'sub' }], toDOM: () => ['sub', 0] },
    code: { parseDOM: [{ tag: 'code' }], toDOM: () => ['code', 0] },
  },
});

export const { nodes, marks } = schema;
