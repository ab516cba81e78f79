/** JSON as coloured text nodes: nothing of the answer is ever read as HTML. */
import { make } from './dom.mjs';

export function jsonView(value) {
  const parts = [];
  write(value, '', parts);
  return parts;
}

function write(value, indent, parts) {
  if (value === null || typeof value === 'boolean') parts.push(make('span', { class: 'l' }, String(value)));
  else if (typeof value === 'number') parts.push(make('span', { class: 'n' }, String(value)));
  else if (typeof value === 'string') parts.push(make('span', { class: 's' }, JSON.stringify(value)));
  else if (Array.isArray(value))
    writeMany(
      value.map((child) => ['', child]),
      '[',
      ']',
      indent,
      parts,
    );
  else writeMany(Object.entries(value), '{', '}', indent, parts, true);
}

function writeMany(entries, open, close, indent, parts, named = false) {
  if (entries.length === 0) {
    parts.push(open + close);
    return;
  }
  const inner = `${indent}  `;
  parts.push(`${open}\n`);
  entries.forEach(([key, child], index) => {
    parts.push(inner);
    if (named) parts.push(make('span', { class: 'k' }, JSON.stringify(key)), ': ');
    write(child, inner, parts);
    parts.push(index < entries.length - 1 ? ',\n' : '\n');
  });
  parts.push(indent + close);
}
