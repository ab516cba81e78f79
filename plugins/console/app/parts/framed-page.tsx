import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { BASE } from '../api.ts';
import { framedPageTexts } from '../messages/framed-page.ts';
import { MessageLimit } from './message-limit.ts';

/** Frames between a message's sender and the framed page. */
const DEEPEST = 10;

interface FramedPageProps {
  readonly project: string;
  readonly url: string;
  /** Name of the frame. */
  readonly title: string;
  /** In pixels; absent: as the style has it. */
  readonly height?: number;
  /** What the page itself sends. */
  readonly onMessage?: (data: unknown, page: Window) => void;
}

/**
 * A page of another origin in a sandboxed frame: it cannot leave it, and is stopped where it floods the console with
 * messages. `frame.ts` of the server has its content security policy.
 */
export function FramedPage({ project, url, title, height, onMessage }: FramedPageProps) {
  const ref = useRef<HTMLIFrameElement>(null);
  const isStopped = useSignal(false);
  const receive = useRef(onMessage);
  receive.current = onMessage;
  useEffect(() => {
    if (isStopped.value) return undefined;
    const limit = new MessageLimit();
    const listen = (event: MessageEvent<unknown>) => {
      const page = ref.current?.contentWindow?.[0];
      if (!page || !isWithin(event.source, page)) return;
      if (!limit.admits(performance.now())) isStopped.value = true;
      else if (event.source === page && !isStopped.value) receive.current?.(event.data, page);
    };
    addEventListener('message', listen);
    return () => removeEventListener('message', listen);
  }, [isStopped.value]);
  if (isStopped.value)
    return (
      <div class="notice" role="alert">
        <p>{framedPageTexts().stopped}</p>
        <button type="button" onClick={() => (isStopped.value = false)}>
          {framedPageTexts().again}
        </button>
      </div>
    );
  return (
    <iframe
      ref={ref}
      class="framed"
      loading="lazy"
      title={title}
      src={`${BASE}/frame/${project}?url=${encodeURIComponent(url)}`}
      height={height}
    />
  );
}

/** Whether a message comes from the page or a frame in it. */
function isWithin(source: MessageEventSource | null, page: Window): boolean {
  let one = source as Window | null;
  for (let depth = 0; one && depth < DEEPEST; depth++) {
    if (one === page) return true;
    if (one === one.parent) return false;
    one = one.parent;
  }
  return false;
}
