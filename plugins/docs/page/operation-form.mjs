/** The form of one operation: a field a parameter, the filter builder, and the request they make. */
import { make, prose } from './dom.mjs';
import { encodeValue, filterBuilder } from './filter-builder.mjs';

/**
 * @param operation from `operationsOf`
 * @param body from `bodyOf`
 * @param memory values that stay while the page is open: `{ project, key }`
 * @param handlers `{ send(request), changed(request) }`
 * @returns `{ node, request(), set(name, value), suggest(codenames) }`
 */
export function operationForm(operation, body, memory, { send, changed }) {
  const fields = new Map();
  const free = operation.parameters.find(
    (parameter) => parameter.style === 'form' && parameter.schema?.type === 'object',
  );
  const update = () => changed(request());
  const filters = free && filterBuilder(free, update);

  function field(parameter) {
    const id = `field-${parameter.in}-${parameter.name}`;
    const hint = make('p', { class: 'hint', id: `${id}-hint` }, ...prose(parameter.description ?? ''));
    const attributes = {
      id,
      name: parameter.name,
      'aria-describedby': `${id}-error ${hint.id}`,
      required: parameter.required,
      oninput: update,
    };
    const control = parameter.schema?.enum
      ? choice(['', ...parameter.schema.enum.filter((value) => value !== '')], attributes)
      : input(parameter, attributes);
    if (parameter.name === 'project_id') {
      control.value = memory.project;
      control.addEventListener('input', () => {
        memory.project = control.value.trim();
      });
    }
    const error = make('p', { class: 'error', id: `${id}-error` });
    fields.set(parameter.name, { parameter, control, error });
    const must = parameter.required ? make('span', { class: 'must' }, ' required') : undefined;
    return make(
      'div',
      { class: 'field' },
      make('label', { for: id }, parameter.name, must),
      control,
      error,
      hint,
    );
  }

  function group(title, parameters, extra) {
    if (parameters.length === 0 && !extra) return undefined;
    const numbers = parameters.filter((parameter) => parameter.schema?.type === 'integer');
    const others = parameters.filter((parameter) => !numbers.includes(parameter));
    const pair = numbers.length > 0 ? make('div', { class: 'pair' }, ...numbers.map(field)) : undefined;
    return make('fieldset', {}, make('legend', {}, title), ...others.map(field), pair, extra);
  }

  const server = choice(operation.servers, { id: 'field-server', oninput: update });
  server.value = operation.servers[0];
  const servers =
    operation.servers.length > 1
      ? make('div', { class: 'field' }, make('label', { for: server.id }, 'Server'), server)
      : undefined;

  const named = (location) =>
    operation.parameters.filter((parameter) => parameter.in === location && parameter !== free);
  const node = make(
    'form',
    {
      novalidate: true,
      onsubmit: (event) => {
        event.preventDefault();
        if (complete()) send(request());
      },
    },
    group('Path', named('path'), servers),
    operation.takesKey ? group('Access', [], keyField()) : undefined,
    filters?.node,
    group('Query', named('query')),
    group('Request headers', named('header')),
    body && group('Body', [], bodyField(body, update)),
  );
  const bodyControl = body && node.querySelector('#field-body');

  function keyField() {
    const control = make('input', {
      id: 'field-key',
      type: 'password',
      autocomplete: 'off',
      spellcheck: 'false',
      'aria-describedby': 'field-key-hint',
      oninput: () => {
        memory.keys.set(operation.tag, control.value.trim());
        update();
      },
    });
    control.value = memory.keys.get(operation.tag) ?? '';
    const label = make(
      'label',
      { for: 'field-key' },
      'Key',
      make('span', { class: 'must' }, operation.needsKey ? ' required' : ' when secure access is on'),
    );
    const hint = make(
      'p',
      { class: 'hint', id: 'field-key-hint' },
      'Sent as a bearer token. Stays in the memory of this page and is never stored.',
    );
    return make('div', { class: 'field' }, label, control, hint);
  }

  /** Marks required fields that are empty and goes to the first one. */
  function complete() {
    let first;
    for (const { parameter, control, error } of fields.values()) {
      const missing = Boolean(parameter.required) && control.value.trim() === '';
      control.setAttribute('aria-invalid', String(missing));
      error.textContent = missing ? 'Fill this in to send the request.' : '';
      if (missing) first ??= control;
    }
    first?.focus();
    return first === undefined;
  }

  function request() {
    let path = operation.path;
    const query = filters ? filters.query() : [];
    const headers = {};
    for (const { parameter, control } of fields.values()) {
      const value = control.value.trim();
      if (parameter.in === 'path')
        path = path.replace(
          `{${parameter.name}}`,
          value === '' ? `{${parameter.name}}` : encodeURIComponent(value),
        );
      else if (value === '') continue;
      else if (parameter.in === 'query') query.push(`${parameter.name}=${encodeValue(value)}`);
      else headers[parameter.name] = value;
    }
    const key = operation.takesKey ? (memory.keys.get(operation.tag) ?? '') : '';
    const url = `${server.value}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
    if (body)
      headers['Content-Type'] =
        bodyControl.files?.[0]?.type || body.type.replace('*/*', 'application/octet-stream');
    const content = bodyControl && (bodyControl.files ? bodyControl.files[0] : bodyControl.value);
    return { method: operation.method, url, headers, key, body: content || undefined };
  }

  function set(name, value) {
    const found = fields.get(name);
    if (found) found.control.value = value;
    update();
  }

  return { node, request, set, suggest: (codenames) => filters?.suggest(codenames) };
}

/** JSON is written, starting from an example if there has to be a body; anything else is a file. */
function bodyField({ type, required, example }, oninput) {
  const attributes = { id: 'field-body', 'aria-label': `Body (${type})`, oninput };
  if (example === undefined) return make('input', { ...attributes, type: 'file' });
  const rows = String(Math.min(20, example.split('\n').length + 1));
  const placeholder = required ? undefined : example;
  return make(
    'textarea',
    { ...attributes, rows, placeholder, spellcheck: 'false', autocomplete: 'off' },
    required ? example : '',
  );
}

function choice(values, attributes) {
  const options = values.map((value) => make('option', { value }, value === '' ? 'not sent' : value));
  return make('select', attributes, ...options);
}

function input(parameter, attributes) {
  const whole = parameter.schema?.type === 'integer';
  return make('input', {
    ...attributes,
    inputmode: whole ? 'numeric' : undefined,
    placeholder: String(parameter.example ?? parameter.schema?.default ?? ''),
    autocomplete: 'off',
    spellcheck: 'false',
  });
}
