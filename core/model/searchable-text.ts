import { MOST_WORDS } from '../storage/full-text.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { foldedWords } from './folded-words.ts';
import type { ContentType, ProjectModel } from './model.ts';
import { visibleText } from './rich-text/visible-text.ts';
import type { StoredElements, StoredRichText, StoredUrlSlug } from './values.ts';

/** The words of all texts of a variant, components included, in the order of the elements. */
export async function searchableWords(
  model: ProjectModel,
  type: ContentType,
  elements: StoredElements,
  words: string[],
): Promise<void> {
  for (const { element } of type.fields) {
    if (words.length >= MOST_WORDS) return;
    const value = elements[element.id];
    if (value === undefined || value === null) continue;
    if (isTurnLong()) await nextTurn();
    switch (element.type) {
      case 'text':
      case 'custom':
        add(words, value as string);
        break;
      case 'url_slug':
        add(words, (value as StoredUrlSlug).value);
        break;
      case 'rich_text': {
        const { html, components } = value as StoredRichText;
        add(words, visibleText(html));
        for (const component of components) {
          const inner = model.typeById.get(component.type);
          if (inner) await searchableWords(model, inner, component.elements, words);
        }
        break;
      }
      default:
    }
  }
}

function add(words: string[], text: string): void {
  for (const word of foldedWords(text)) {
    if (words.length >= MOST_WORDS) return;
    words.push(word);
  }
}
