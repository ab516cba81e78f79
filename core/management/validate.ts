import {
  type ElementFindings,
  type TypeFindings,
  type VariantFindings,
  validateTypes,
  validateVariants,
} from '../content/validate.ts';
import { type Route, route } from './route.ts';

/**
 * What is wrong with the content of the project (facts 3.5).
 * @param types also what is wrong with the types (v2)
 */
export function validateRoute({ types }: { readonly types: boolean }): Route {
  return route('POST', 'validate', (call) =>
    call.read(async (view) => ({
      status: 200,
      body: {
        project: { id: view.project.id, name: view.project.name },
        variant_issues: (await validateVariants(view)).map(variantToJson),
        ...(types && { type_issues: validateTypes(view.model).map(typeToJson) }),
      },
    })),
  );
}

interface Named {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
}

const named = ({ id, name, codename }: Named) => ({ id, name, codename });

function variantToJson({ item, language, issues }: VariantFindings): unknown {
  return { item: named(item), language: named(language), issues: issues.map(elementToJson) };
}

function typeToJson({ type, issues }: TypeFindings): unknown {
  return { type: named(type), issues: issues.map(elementToJson) };
}

function elementToJson({ element, messages }: ElementFindings): unknown {
  return { element: named(element), messages };
}
