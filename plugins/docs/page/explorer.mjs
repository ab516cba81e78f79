/** The explorer: reads openapi.json, lists its operations, tries them against this server. */
import { copyText, curlOf, leaveAnswer, showAnswer } from './answer-view.mjs';
import { bodyOf, entriesOf, operationsOf, outline, responsesOf } from './description.mjs';
import { announce, make, prose } from './dom.mjs';
import { operationForm } from './operation-form.mjs';

const regions = Object.fromEntries(
  ['operations', 'operation', 'answer', 'theme'].map((id) => [id, document.getElementById(id)]),
);
/** Kept while the page is open: the key is in no storage and in no URL. */
const memory = { project: new URLSearchParams(location.search).get('project') ?? '', keys: new Map() };

themeButton(regions.theme);
try {
  const response = await fetch(new URL('openapi.json', import.meta.url));
  if (!response.ok) throw new Error(`status ${response.status}`);
  start(await response.json());
} catch (error) {
  regions.operations.replaceChildren(
    make('p', { class: 'problem' }, `openapi.json could not be read: ${error.message}`),
  );
}

function start(description) {
  const entries = entriesOf(operationsOf(description));
  const tags = [...new Set(entries.map((entry) => entry.tag))];
  regions.operations.replaceChildren(
    ...tags.flatMap((tag) => [
      make('h2', {}, tag),
      make(
        'ul',
        {},
        ...entries.filter((entry) => entry.tag === tag).map((entry) => make('li', {}, linkTo(entry))),
      ),
    ]),
  );
  const open = (byUser) => {
    const id = location.hash.slice(1);
    const hasId = (operation) => operation.id === id;
    const entry = entries.find(({ operations }) => operations.some(hasId));
    if (byUser && !entry) return;
    const { operations } = entry ?? entries[0];
    show(description, operations, operations.find(hasId) ?? operations[0], byUser);
  };
  window.addEventListener('hashchange', () => open(true));
  open(false);
}

/** GET is the default; other methods are shown. */
function linkTo({ summary, method, operations }) {
  const badge = method === 'GET' ? undefined : make('span', { class: 'method' }, method);
  return make('a', { href: `#${operations[0].id}` }, badge, summary);
}

/** @param operations the paths of one entry, of which `operation` is shown */
function show(description, operations, operation, byUser) {
  for (const link of regions.operations.querySelectorAll('a')) {
    if (link.getAttribute('href') === `#${operations[0].id}`) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
  document.title = `${operation.summary} · ${operation.tag} · API explorer`;
  const address = make('p', { class: 'address mono', 'aria-label': 'Address of the request' });
  const changed = (request) => {
    address.textContent = `${request.method} ${decodeURI(request.url.replace(/%(?![0-7])/g, '%25'))}`;
  };
  const send = (request) => showAnswer(regions.answer, request, (answer) => nextActions(answer, form));
  const form = operationForm(operation, bodyOf(description, operation), memory, { send, changed });
  const curl = make(
    'button',
    { type: 'button', class: 'quiet', onclick: () => copyText(curl, curlOf(form.request())) },
    'Copy as curl',
  );
  const actions = make('div', { class: 'actions' }, make('button', { type: 'submit' }, 'Send'), curl);
  form.node.append(make('div', { class: 'send' }, address, actions));
  changed(form.request());

  regions.operation.replaceChildren(
    make('h1', {}, operation.summary),
    make(
      'p',
      { class: 'call' },
      make('span', { class: 'method' }, operation.method),
      operations.length > 1 ? pathChoice(operations, operation) : make('code', {}, operation.path),
    ),
    make('p', { class: 'lead' }, ...prose(operation.description ?? tagNote(description, operation.tag))),
    form.node,
    answersOf(description, operation),
  );
  leaveAnswer(regions.answer);
  regions.answer.replaceChildren(
    make(
      'div',
      { class: 'empty' },
      make('img', { src: new URL('explorer.svg', import.meta.url).href, alt: '', width: '48', height: '48' }),
      make('p', {}, 'The answer of this server appears here after you send the request.'),
    ),
  );
  if (byUser) {
    regions.operation.focus({ preventScroll: true });
    window.scrollTo(0, 0);
    announce(`${operation.summary}, ${operation.tag}`);
  }
}

/** The paths of an operation, one of them chosen; each has an address of its own on this page. */
function pathChoice(operations, { id }) {
  const options = operations.map((operation) => make('option', { value: operation.id }, operation.path));
  const select = make(
    'select',
    { 'aria-label': 'Path', onchange: () => location.assign(`#${select.value}`) },
    ...options,
  );
  select.value = id;
  return select;
}

/** Buttons that lead to the next page or part; codenames in the answer become suggestions of the form. */
function nextActions({ headers, json }, form) {
  const again = (name, value, label) =>
    make(
      'button',
      {
        type: 'button',
        class: 'small',
        onclick: () => {
          form.set(name, value);
          form.node.requestSubmit();
        },
      },
      label,
    );
  if (Array.isArray(json?.items))
    form.suggest(json.items.flatMap((item) => Object.keys(item.elements ?? {})));
  const nextPage = json?.pagination?.next_page;
  const token = headers.get('x-continuation');
  if (nextPage) {
    const { searchParams } = new URL(nextPage);
    const name = ['skip', 'continuationToken'].find((one) => searchParams.has(one));
    return [again(name, searchParams.get(name), 'Next page')];
  }
  return token ? [again('X-Continuation', token, 'Next part')] : [];
}

function answersOf(description, operation) {
  const responses = responsesOf(description, operation);
  const rows = responses.map(({ status, description: text, examples }) =>
    make('tr', {}, make('th', { scope: 'row' }, status), make('td', {}, ...prose(text), codesOf(examples))),
  );
  const good = responses.find(({ status, schema }) => status.startsWith('2') && schema);
  return make(
    'details',
    {},
    make('summary', {}, 'Answers, shapes and error codes'),
    make('table', {}, make('tbody', {}, ...rows)),
    good
      ? make(
          'pre',
          { class: 'outline', tabindex: '0', 'aria-label': 'Shape of the answer' },
          ...outlineNodes(description, good.schema),
        )
      : undefined,
  );
}

function codesOf(examples) {
  const known = examples.filter((example) => example?.error_code !== undefined);
  if (known.length === 0) return undefined;
  return make(
    'ul',
    { class: 'codes hint' },
    ...known.map((example) =>
      make('li', {}, make('code', {}, String(example.error_code)), ` ${example.message}`),
    ),
  );
}

function outlineNodes(description, schema) {
  return outline(description, schema).flatMap(({ depth, name, type, note }) => [
    '  '.repeat(depth),
    ...(name ? [make('span', { class: 'k' }, name), ': '] : []),
    type,
    ...(note ? [make('span', { class: 'note' }, '  ', ...prose(note.split('. ')[0]))] : []),
    '\n',
  ]);
}

function tagNote(description, tag) {
  return description.tags?.find((entry) => entry.name === tag)?.description ?? '';
}

function themeButton(button) {
  const themes = ['system', 'light', 'dark'];
  const apply = (theme) => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
  };
  const storage = kept();
  let current = storage?.getItem('headwater-theme') ?? 'system';
  apply(current);
  button.addEventListener('click', () => {
    current = themes[(themes.indexOf(current) + 1) % themes.length];
    storage?.setItem('headwater-theme', current);
    apply(current);
  });
}

/** Undefined where the browser stores nothing for this page. */
function kept() {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}
