/** What a plan to publish finds in a form, at the elements that it is about. */
import { type Signal, signal } from '@preact/signals';
import type { Dangling } from '../../acts/act-data.ts';
import type { FoundElement, PlanFindings } from '../../acts/plan-findings.ts';
import type { Issue } from '../../api.ts';
import { type ElementForm, elementNamed, type PublishFinding } from './element-form.ts';
import type { ItemForm } from './item-form.ts';
import { type ElementPath, showElement } from './show-element.ts';

/** Path of a violation: `objects[0].elements.body.components[1].elements.title[2]`. */
const OBJECT = /^objects\[0\]\.elements\.(.+)$/;
const STEP = /^([^.[]+)(?:\.components\[(\d+)\])?(?:\.elements\.(.+))?/;
/** What messages begin with: the label of the element says it. */
const PLACE = /^(?:The element '[^']*' of '[^']*' \([^)]*\)|In the component '[^']*', element '[^']*'): /;

/** The findings of the form of one variant, which may be loaded later than this. */
export class FormFindings implements PlanFindings {
  #form: ItemForm | undefined;
  /** Where the last plan found something. */
  readonly #paths: Signal<readonly ElementPath[]> = signal([]);
  readonly #item: string;
  readonly #language: string;

  /** @param language id */
  constructor(item: string, language: string) {
    this.#item = item;
    this.#language = language;
  }

  /** The form is there. */
  follow(form: ItemForm): void {
    this.#form = form;
    this.#paths.value = [];
  }

  /** Elements with findings that were not changed since. */
  get open(): readonly ElementPath[] {
    return this.#paths.value.filter((path) => lastOf(path).publishFindings.value.length > 0);
  }

  take(violations: readonly Issue[], dangling: readonly Dangling[]): void {
    for (const path of this.#paths.peek()) lastOf(path).publishFindings.value = [];
    const found = new Map<ElementForm, ElementPath>();
    const add = (path: ElementPath, finding: PublishFinding) => {
      const element = lastOf(path);
      found.set(element, path);
      element.publishFindings.value = [...element.publishFindings.peek(), finding];
    };
    for (const violation of violations) {
      const at = this.#violated(violation);
      if (at) add(at.path, { message: withoutPlace(violation.message), isWhole: at.isWhole });
    }
    const references = dangling.length > 0 ? this.#references() : [];
    for (const one of dangling)
      for (const path of this.#referring(one, references))
        add(path, { dangling: one.reason, to: one.to.name ?? one.to.id });
    this.#paths.value = [...found.values()];
  }

  elementOf(finding: Issue | Dangling): FoundElement | undefined {
    const path =
      'message' in finding ? this.#violated(finding)?.path : this.#referring(finding, this.#references())[0];
    return path && { name: lastOf(path).definition.name, show: () => void showElement(path) };
  }

  #violated({ path = '' }: Issue): Violated | undefined {
    const inside = OBJECT.exec(path)?.[1];
    return this.#form && inside !== undefined ? violatedAt(this.#form.elements, inside, NOWHERE) : undefined;
  }

  /** The elements that have a reference which readers cannot follow. */
  #referring({ from, to }: Dangling, references: readonly References[]): readonly ElementPath[] {
    if (from.item.id !== this.#item || from.language.id !== this.#language) return [];
    return references.filter(({ text }) => text.includes(to.id)).map(({ path }) => path);
  }

  #references(): readonly References[] {
    return this.#form ? referencesIn(this.#form.elements, NOWHERE) : [];
  }
}

const NOWHERE: ElementPath = { elements: [], components: [] };

interface Violated {
  readonly path: ElementPath;
  /** The whole value breaks the rule, not a part of it. */
  readonly isWhole: boolean;
}

function violatedAt(
  elements: ReadonlyMap<string, ElementForm>,
  path: string,
  around: ElementPath,
): Violated | undefined {
  const [, codename, index, rest] = STEP.exec(path) ?? [];
  const element = elementNamed(elements, codename);
  if (!element) return undefined;
  const here = { ...around, elements: [...around.elements, element] };
  // The server has the components in the order of the text.
  const component = index === undefined ? undefined : element.componentsInText()[Number(index)];
  if (!component || rest === undefined) return { path: here, isWhole: path === codename };
  return violatedAt(component.elements, rest, { ...here, components: [...here.components, component] });
}

const lastOf = ({ elements }: ElementPath) => elements.at(-1) as ElementForm;

/** An element that may refer to items and assets. */
interface References {
  readonly path: ElementPath;
  /** Its value, with the ids of what it refers to. */
  readonly text: string;
}

function referencesIn(
  elements: ReadonlyMap<string, ElementForm>,
  around: ElementPath,
): readonly References[] {
  return [...elements.values()].flatMap((element) => {
    const { type } = element.definition;
    if (type !== 'rich_text' && type !== 'modular_content' && type !== 'asset') return [];
    const path = { ...around, elements: [...around.elements, element] };
    const inside = element
      .componentsInText()
      .flatMap((component) =>
        referencesIn(component.elements, { ...path, components: [...path.components, component] }),
      );
    return [{ path, text: JSON.stringify(element.value.peek()) }, ...inside];
  });
}

function withoutPlace(message: string): string {
  const inner = message.replace(PLACE, '');
  return inner === message ? message : withoutPlace(inner);
}
