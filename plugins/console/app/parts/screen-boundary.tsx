import { Component, type ComponentChildren } from 'preact';
import { messages } from '../messages/messages.ts';

interface Properties {
  /** Of the screen: another one is drawn again. */
  readonly path: string;
  readonly children: ComponentChildren;
}

/** Where a screen throws while it is drawn, a sentence takes its place, and the navigation around it stays. */
export class ScreenBoundary extends Component<Properties, { readonly failedAt?: string }> {
  override componentDidCatch(error: unknown): void {
    // In the console of the browser, as an error that no one catches.
    reportError(error);
    this.setState({ failedAt: this.props.path });
  }

  override render({ path, children }: Properties) {
    return this.state.failedAt === path ? <ScreenFailure /> : children;
  }
}

function ScreenFailure() {
  const { failure } = messages();
  return (
    <div class="failure" role="alert">
      <h1>{failure.screen}</h1>
      <p>{failure.screenKept}</p>
      <button type="button" onClick={() => location.reload()}>
        {failure.reloadNow}
      </button>
    </div>
  );
}
