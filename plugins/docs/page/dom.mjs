/** Makes an element: `make('a', { href: '#x', class: 'quiet' }, 'text', node, …)`. */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.filter((child) => child !== undefined && child !== null));
  return node;
}

/** Splits `a \`b\` c` into text and <code>. */
export function prose(text) {
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 ? make('code', {}, part) : part));
}

export function announce(text) {
  document.getElementById('announce').textContent = text;
}
