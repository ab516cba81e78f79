import { useLayoutEffect } from 'preact/hooks';
import { TITLE } from '../api.ts';

interface PageHeadingProps {
  readonly children: string;
  /** A script may focus it. */
  readonly tabIndex?: -1;
}

/** What the page shows: its heading, and its title in front of that of the installation. */
export function PageHeading({ children, tabIndex }: PageHeadingProps) {
  useLayoutEffect(() => {
    document.title = `${children} – ${TITLE}`;
    return () => {
      document.title = TITLE;
    };
  }, [children]);
  return <h1 tabIndex={tabIndex}>{children}</h1>;
}
