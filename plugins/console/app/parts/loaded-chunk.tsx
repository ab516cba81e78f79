import type { ComponentType } from 'preact';
import { NewVersion } from './new-version.tsx';

/** A chunk is missing where a new version was installed since the page was loaded. */
export function loaded<Props>(
  screen: Promise<ComponentType<Props>>,
): Promise<{ readonly default: ComponentType<Props> }> {
  return screen.then(
    (component) => ({ default: component }),
    () => ({ default: (() => <NewVersion isScreen />) as ComponentType<Props> }),
  );
}
