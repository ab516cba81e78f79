import { Component, type ComponentChildren } from 'preact';
import { messages } from '../messages/messages.ts';
import { PageHeading } from './page-heading.tsx';

interface Properties {
  /** Of the screen: another one is drawn again, and this one when it is opened again. Absent: the whole page. */
  readonly path?: string;
  readonly children: ComponentChildren;
}

/** Is no path: those begin with a slash. */
const WHOLE_PAGE = '';

interface State {
  /** Path of the screen that threw, or `WHOLE_PAGE`. */
  readonly failedAt?: string | undefined;
}

/** Where what is in it throws while it is drawn, a sentence takes its place. Around a screen, the navigation stays. */
export class ErrorBoundary extends Component<Properties, State> {
  static override getDerivedStateFromProps(
    { path = WHOLE_PAGE }: Properties,
    { failedAt }: State,
  ): State | null {
    return failedAt === undefined || failedAt === path ? null : { failedAt: undefined };
  }

  override componentDidCatch(error: unknown): void {
    // In the console of the browser, as an error that no one catches.
    reportError(error);
    this.setState({ failedAt: this.props.path ?? WHOLE_PAGE });
  }

  override render({ path, children }: Properties) {
    if (this.state.failedAt === undefined) return children;
    if (path !== undefined) return <DrawingFailure />;
    return (
      <main class="card">
        <DrawingFailure />
      </main>
    );
  }
}

function DrawingFailure() {
  const { failure } = messages();
  return (
    <div class="failure" role="alert">
      <PageHeading>{failure.screen}</PageHeading>
      <p>{failure.screenKept}</p>
      <button type="button" onClick={() => location.reload()}>
        {failure.reloadNow}
      </button>
    </div>
  );
}
