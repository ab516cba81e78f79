/** Sends a request and shows the answer: status, time, headers, body. */
import { announce, make } from './dom.mjs';
import { jsonView } from './json-view.mjs';

/** An unlimited listing can be hundreds of megabytes; the page shows this much. */
const SHOWN_BYTES = 1_000_000;

/** curl of a request; the key is a shell variable, so that the history does not contain it. */
export function curlOf({ method, url, headers, key, body }) {
  const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const parts = ['curl -g -i', ...(method === 'GET' ? [] : [`-X ${method}`]), quote(url)];
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quote(`${name}: ${value}`)}`);
  if (key) parts.push('-H "Authorization: Bearer $KEY"');
  if (body !== undefined)
    parts.push(`--data-binary ${quote(typeof body === 'string' ? body : `@${body.name}`)}`);
  return parts.join(' ');
}

/** Of the request whose answer is waited for. */
let current;

/** Ends the request: its answer would be shown beside another call. */
export function leaveAnswer(output) {
  current?.abort();
  current = undefined;
  output.removeAttribute('aria-busy');
}

/**
 * @param output element to fill
 * @param request `{ method, url, headers, key, body }`
 * @param more `({ headers, json }) => node[]`: actions on the answer, such as the next page
 */
export async function showAnswer(output, request, more) {
  leaveAnswer(output);
  const stop = new AbortController();
  current = stop;
  const began = performance.now();
  output.replaceChildren(
    make('h2', {}, 'Answer'),
    make(
      'div',
      { class: 'facts' },
      'Waiting…',
      make('button', { type: 'button', class: 'quiet small', onclick: () => stop.abort() }, 'Stop'),
    ),
  );
  output.setAttribute('aria-busy', 'true');
  // On a narrow screen the answer is below the form.
  if (output.getBoundingClientRect().top > window.innerHeight * 0.8) output.scrollIntoView();
  try {
    const headers = { ...request.headers, ...(request.key && { Authorization: `Bearer ${request.key}` }) };
    const response = await fetch(request.url, {
      method: request.method,
      headers,
      body: request.body,
      cache: 'no-store',
      signal: stop.signal,
    });
    const { bytes, cut } = await readSome(response);
    if (current !== stop) return;
    const took = performance.now() - began;
    output.replaceChildren(...answerNodes(response, bytes, cut, took, more));
    announce(`Status ${response.status} after ${Math.round(took)} milliseconds`);
  } catch (error) {
    if (current !== stop) return;
    const text = stop.signal.aborted
      ? 'Stopped.'
      : `No answer: ${error instanceof Error ? error.message : error}`;
    output.replaceChildren(make('h2', {}, 'Answer'), make('p', { class: 'problem' }, text));
    announce(text);
  } finally {
    if (current === stop) leaveAnswer(output);
  }
}

function answerNodes(response, bytes, cut, took, more) {
  const type = response.headers.get('content-type') ?? '';
  const text = new TextDecoder().decode(bytes);
  const json = type.includes('json') && !cut ? parse(text) : undefined;
  const level = response.status < 400 ? 'good' : response.status < 500 ? 'warn' : 'bad';
  const facts = make(
    'div',
    { class: 'facts' },
    make('span', { class: `status ${level}` }, `${response.status} ${response.statusText}`.trim()),
    make('span', {}, `${took.toFixed(took < 100 ? 1 : 0)} ms`),
    make('span', {}, cut ? `more than ${size(bytes.length)}` : size(bytes.length)),
  );
  const headers = [...response.headers].map(([name, value]) =>
    make('tr', {}, make('th', { scope: 'row' }, name), make('td', {}, value)),
  );
  const copy = make(
    'button',
    { type: 'button', class: 'quiet small', onclick: () => copyText(copy, text) },
    'Copy body',
  );
  return [
    make('h2', {}, 'Answer'),
    facts,
    make(
      'details',
      { open: response.status >= 300 },
      make('summary', {}, `Headers (${headers.length})`),
      make('table', {}, make('tbody', {}, ...headers)),
    ),
    make(
      'div',
      { class: 'actions' },
      ...more({ headers: response.headers, json }),
      isText(type) ? copy : undefined,
    ),
    cut
      ? make(
          'p',
          { class: 'hint' },
          `Only the first ${size(bytes.length)} were read; set a limit to see whole answers.`,
        )
      : undefined,
    bodyNode(type, bytes, text, json),
  ].filter(Boolean);
}

function bodyNode(type, bytes, text, json) {
  if (bytes.length === 0) return make('p', { class: 'hint' }, 'The answer has no body.');
  if (/^image\/(png|jpeg|gif|webp|avif)/.test(type)) {
    return make('img', {
      class: 'image',
      src: URL.createObjectURL(new Blob([bytes], { type })),
      alt: 'The image that was answered',
    });
  }
  const body = make('pre', { class: 'body', tabindex: '0', 'aria-label': 'Body' });
  if (json === undefined)
    body.textContent = isText(type) ? text : `${size(bytes.length)} of ${type || 'unknown type'}`;
  else body.append(...jsonView(json));
  return body;
}

function isText(type) {
  return /json|text|xml/.test(type);
}

async function readSome(response) {
  const chunks = [];
  let length = 0;
  const reader = response.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
    if (length > SHOWN_BYTES) {
      await reader.cancel();
      break;
    }
  }
  return { bytes: new Uint8Array(await new Blob(chunks).arrayBuffer()), cut: length > SHOWN_BYTES };
}

export async function copyText(button, text) {
  // Another click may come before the timer.
  button.dataset.label ??= button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
    announce('Copied');
  } catch {
    button.textContent = 'Could not copy';
  }
  setTimeout(() => {
    button.textContent = button.dataset.label;
  }, 1500);
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function size(bytes) {
  return bytes < 1000
    ? `${bytes} bytes`
    : bytes < 1_000_000
      ? `${(bytes / 1000).toFixed(1)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
