import { DefinitionList } from './definition-list.tsx';
import { DefinitionScreen } from './definition-screen.tsx';
import { Languages } from './languages.tsx';
import { Taxonomies } from './taxonomies.tsx';
import { SitemapScreen, TaxonomyScreen } from './tree-screen.tsx';

export type ModelPart = 'types' | 'snippets' | 'taxonomies' | 'sitemap' | 'languages';

interface ModelScreenProps {
  readonly project: string;
  readonly part: ModelPart;
  /** Id of the part of the model, or `new`. */
  readonly object: string | undefined;
}

/** A screen of the content model. */
export function ModelScreen({ project, part, object }: ModelScreenProps) {
  switch (part) {
    case 'types':
    case 'snippets':
      return object === undefined ? (
        <DefinitionList key={part} project={project} kind={part} />
      ) : (
        <DefinitionScreen key={object} project={project} kind={part} id={object} />
      );
    case 'taxonomies':
      return object === undefined ? (
        <Taxonomies project={project} />
      ) : (
        <TaxonomyScreen key={object} project={project} id={object} />
      );
    case 'sitemap':
      return <SitemapScreen project={project} />;
    case 'languages':
      return <Languages project={project} />;
  }
}
