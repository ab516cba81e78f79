/**
 * The script that the page of a custom element loads. It provides the global `CustomElement` with the methods that such
 * pages know; the page runs in a sandboxed frame of the console.
 */
import type { Asked, ContextFacts, ElementFacts, FromPage, ToPage } from './protocol.ts';

type Init = (element: ElementFacts, context: ContextFacts) => void;

const host = window.top;
let onInit: Init | undefined;
const onDisabled: ((isDisabled: boolean) => void)[] = [];
const observers: { readonly codenames: readonly string[]; readonly call: (changed: string[]) => void }[] = [];
const waiting = new Map<number, (value: unknown) => void>();
let asked = 0;

function send(message: FromPage): void {
  // The sandboxed page does not know the origin of the console. What it sends is its own.
  if (host && host !== window) host.postMessage({ customElement: 1, ...message }, '*');
}

function ask(what: Asked, argument: unknown): Promise<unknown> {
  asked += 1;
  const id = asked;
  send({ kind: 'ask', id, what, argument });
  return new Promise((resolve) => waiting.set(id, resolve));
}

addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
  if (source !== host || typeof data !== 'object' || data === null || !('customElement' in data)) return;
  const message = data as unknown as ToPage;
  switch (message.kind) {
    case 'init':
      onInit?.(message.element, message.context);
      onInit = undefined;
      break;
    case 'disabled':
      for (const call of onDisabled) call(message.isDisabled);
      break;
    case 'changed':
      for (const { codenames, call } of observers) {
        const changed = message.codenames.filter((one) => codenames.includes(one));
        if (changed.length > 0) call(changed);
      }
      break;
    case 'answer':
      waiting.get(message.id)?.(message.value);
      waiting.delete(message.id);
  }
});

Object.defineProperty(window, 'CustomElement', {
  value: Object.freeze({
    init(callback: Init) {
      onInit = callback;
      send({ kind: 'init' });
    },
    setValue: (value: unknown) => send({ kind: 'value', value }),
    setHeight: (height: unknown) => send({ kind: 'height', height }),
    onDisabledChanged: (callback: (isDisabled: boolean) => void) => void onDisabled.push(callback),
    getElementValue(codename: string, callback: (value: unknown) => void) {
      void ask('elementValue', codename).then(callback);
    },
    observeElementChanges(codenames: readonly string[], callback: (changed: string[]) => void) {
      observers.push({ codenames, call: callback });
      send({ kind: 'observe', codenames: observers.flatMap((one) => one.codenames) });
    },
    selectAssets: (options: unknown) => ask('selectAssets', options),
    getAssetDetails: (ids: unknown) => ask('assetDetails', ids),
    selectItems: (options: unknown) => ask('selectItems', options),
    getItemDetails: (ids: unknown) => ask('itemDetails', ids),
  }),
});
