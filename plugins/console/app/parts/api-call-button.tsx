import { useSignal } from '@preact/signals';
import { lazy, Suspense } from 'preact/compat';
import { apiCallTexts } from '../messages/api-call.ts';
import type { ApiCall } from './api-snippets.ts';
import { loaded } from './loaded-chunk.tsx';

const ApiCallDialog = lazy(() => loaded(import('./api-call-dialog.tsx'), 'ApiCallDialog'));

interface ApiCallButtonProps {
  /** Undefined: the requests are of the installation. */
  readonly project?: string | undefined;
  /** The requests that answer what is on the screen, at least one. */
  readonly calls: () => readonly ApiCall[];
}

/** Shows what is on the screen as requests of the APIs. */
export function ApiCallButton({ project, calls }: ApiCallButtonProps) {
  const isOpen = useSignal(false);
  return (
    <>
      <button type="button" onClick={() => (isOpen.value = true)}>
        {apiCallTexts().button}
      </button>
      {isOpen.value && (
        <Suspense fallback={null}>
          <ApiCallDialog project={project} calls={calls()} onClose={() => (isOpen.value = false)} />
        </Suspense>
      )}
    </>
  );
}
