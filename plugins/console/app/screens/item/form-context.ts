import type { Signal } from '@preact/signals';
import { type ComponentType, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { languageTag } from '../../parts/language-tag.ts';
import type { ListedItem } from '../listed-item.ts';
import type { ElementForm } from './element-form.ts';
import type { ContentModel, FormGroup } from './form-groups.ts';
import type { SourceVariant } from './source-variant.ts';

export interface FormBodyProps {
  readonly groups: readonly FormGroup[];
  readonly elements: ReadonlyMap<string, ElementForm>;
}

/** What the parts of a form need to know. */
export interface FormFacts {
  readonly project: string;
  readonly item: Pick<ListedItem, 'id' | 'name' | 'codename' | 'type'>;
  /** Elements of the item, by id; components have their own. */
  readonly elements: ReadonlyMap<string, ElementForm>;
  /** Components around this part. */
  readonly depth: number;
  readonly model: ContentModel;
  /** Id. */
  readonly language: string;
  readonly isReadOnly: boolean;
  /** The variant in another language that is shown beside this one. */
  readonly source: Signal<SourceVariant | undefined>;
  /** Draws a form: that of the item, and those of components inside of its texts. */
  readonly Body: ComponentType<FormBodyProps>;
}

export const FormContext = createContext<FormFacts | undefined>(undefined);

export function useForm(): FormFacts {
  const facts = useContext(FormContext);
  if (!facts) throw new Error('There is no form around this part.');
  return facts;
}

/** Language of what is typed in the form, as `lang` has it. */
export function useContentLanguage(): string | undefined {
  const { model, language } = useForm();
  return languageTag(model.languages.find(({ id }) => id === language)?.codename);
}
