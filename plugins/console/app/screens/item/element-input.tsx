import { ChoiceInput, TaxonomyInput } from './choice-inputs.tsx';
import { CustomElementInput } from './custom-element-input.tsx';
import type { InputProps } from './input-props.ts';
import { AssetsInput, ItemsInput } from './reference-inputs.tsx';
import { RichTextInput } from './rich-text-input.tsx';
import { SlugInput } from './slug-input.tsx';
import { DateTimeInput, NumberInput, TextInput } from './text-inputs.tsx';

interface ElementInputProps extends InputProps {
  /** Name of another element of the form. */
  readonly nameOf: (id: string) => string | undefined;
}

/** Kinds that are several inputs: a group with a name. */
export const GROUPED: ReadonlySet<string> = new Set([
  'multiple_choice',
  'taxonomy',
  'asset',
  'modular_content',
  'rich_text',
  'custom',
]);
/** Those of them whose one input has the guidelines and findings. */
export const ONE_INPUT: ReadonlySet<string> = new Set(['rich_text', 'custom']);

/** The input of an element, by its kind. */
export function ElementInput({ nameOf, ...props }: ElementInputProps) {
  const { definition } = props.element;
  switch (definition.type) {
    case 'text':
      return <TextInput {...props} />;
    case 'custom':
      return <CustomElementInput {...props} definition={definition} />;
    case 'number':
      return <NumberInput {...props} />;
    case 'date_time':
      return <DateTimeInput {...props} />;
    case 'url_slug':
      return <SlugInput {...props} source={nameOf(definition.depends_on.element.id) ?? ''} />;
    case 'multiple_choice':
      return <ChoiceInput {...props} definition={definition} />;
    case 'taxonomy':
      return <TaxonomyInput {...props} definition={definition} />;
    case 'asset':
      return <AssetsInput {...props} definition={definition} />;
    case 'modular_content':
      return <ItemsInput {...props} definition={definition} />;
    case 'rich_text':
      return <RichTextInput {...props} definition={definition} />;
  }
}
