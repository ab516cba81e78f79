import { messages } from '../messages/messages.ts';
import { PageHeading } from './page-heading.tsx';

/** What a page shows that lacks a part: only the version before had it, or its request has failed, which a browser does not repeat. */
export function NewVersion({ isScreen = false }: { readonly isScreen?: boolean }) {
  const { failure } = messages();
  return (
    <div class="failure" role="alert">
      {isScreen ? <PageHeading>{failure.reload}</PageHeading> : <p>{failure.reload}</p>}
      <button type="button" onClick={() => location.reload()}>
        {failure.reloadNow}
      </button>
    </div>
  );
}
