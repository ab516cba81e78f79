/** Rows of attribute, operator and value that become query parameters such as `system.type[in]=a,b`. */
import { make } from './dom.mjs';

const SYSTEM = ['id', 'name', 'codename', 'type', 'language', 'sitemap_locations', 'last_modified'];
const WITHOUT_VALUE = new Set(['empty', 'nempty']);

/**
 * @param parameter the documented free-form parameter; its examples name the operators
 * @param changed called whenever the query may have changed
 * @returns `{ node, query(), suggest(codenames) }`; `query` gives `name=value` texts, ready for a URL
 */
export function filterBuilder(parameter, changed) {
  const rows = new Set();
  const list = make('div', { class: 'field' });
  const suggestions = make('datalist', { id: 'filter-attributes' });
  suggestions.append(
    ...SYSTEM.map((name) => make('option', { value: `system.${name}` })),
    make('option', { value: 'elements.' }),
  );

  function addRow() {
    const attribute = make('input', {
      'aria-label': 'Attribute to filter by',
      list: suggestions.id,
      placeholder: 'system.type',
      autocomplete: 'off',
      spellcheck: 'false',
      oninput: changed,
    });
    const operator = make('select', { 'aria-label': 'Operator' });
    for (const [form, example] of Object.entries(parameter.examples ?? {})) {
      operator.append(
        make(
          'option',
          { value: form, title: example.summary },
          form === 'equal' ? '=' : `[${form}]  ${example.summary.split(',')[0].split(';')[0]}`,
        ),
      );
    }
    const value = make('input', {
      'aria-label': 'Value',
      placeholder: 'value',
      autocomplete: 'off',
      spellcheck: 'false',
      oninput: changed,
    });
    const row = { attribute, operator, value };
    const remove = make(
      'button',
      {
        type: 'button',
        class: 'quiet icon',
        'aria-label': 'Remove this filter',
        onclick: () => {
          rows.delete(row);
          line.remove();
          add.focus();
          changed();
        },
      },
      '×',
    );
    operator.addEventListener('change', () => {
      value.disabled = WITHOUT_VALUE.has(operator.value);
      changed();
    });
    const line = make('div', { class: 'filter' }, attribute, operator, value, remove);
    rows.add(row);
    list.append(line);
    attribute.focus();
  }

  const add = make('button', { type: 'button', class: 'quiet small', onclick: addRow }, 'Add a filter');
  const node = make(
    'fieldset',
    {},
    make('legend', {}, 'Filters'),
    list,
    suggestions,
    make('div', { class: 'actions' }, add),
  );

  function query() {
    return [...rows]
      .filter((row) => row.attribute.value.trim() !== '')
      .map(({ attribute, operator, value }) => {
        const name = attribute.value.trim();
        const form = operator.value === 'equal' ? '' : `[${operator.value}]`;
        return WITHOUT_VALUE.has(operator.value)
          ? `${name}${form}`
          : `${name}${form}=${encodeValue(value.value)}`;
      });
  }

  /** Offers codenames of elements seen in an answer. */
  function suggest(codenames) {
    const known = new Set([...suggestions.children].map((option) => option.value));
    const names = [...new Set(codenames)].map((codename) => `elements.${codename}`);
    suggestions.append(...names.filter((name) => !known.has(name)).map((value) => make('option', { value })));
  }

  return { node, query, suggest };
}

/** Escapes what would end the value; commas stay, so that the URL can be read. */
export function encodeValue(text) {
  return encodeURIComponent(text)
    .replaceAll('%2C', ',')
    .replaceAll('%3A', ':')
    .replaceAll('%5B', '[')
    .replaceAll('%5D', ']');
}
