/** Types, elements, taxonomies and languages as JSON (spec 2.3, 2.4). */
import {
  byKey,
  fieldsOf,
  type OracleContent,
  type OracleField,
  type OracleLanguage,
  type OracleTaxonomy,
  type OracleTerm,
  type OracleType,
} from './content.ts';
import { nameAndCodename, type Projection } from './item-json.ts';

export function typeJson(content: OracleContent, type: OracleType, projection?: Projection): object {
  const fields = fieldsOf(content, type).filter(
    (field) => !projection || projection.includes(field.codename),
  );
  return {
    system: { id: type.id, name: type.name, codename: type.codename, last_modified: type.lastModified },
    elements: Object.fromEntries(fields.map((field) => [field.codename, typeElementJson(content, field)])),
  };
}

function typeElementJson(content: OracleContent, { element }: OracleField): object {
  const head = { type: element.kind, name: element.name };
  if (element.kind === 'taxonomy')
    return { ...head, taxonomy_group: byKey(content.taxonomies, element.group!).codename };
  return element.kind === 'multiple_choice'
    ? { ...head, options: element.options!.map(nameAndCodename) }
    : head;
}

/** Element view: as in the type, with its codename. */
export function elementJson(content: OracleContent, field: OracleField): object {
  return { ...typeElementJson(content, field), codename: field.codename };
}

export function taxonomyJson(taxonomy: OracleTaxonomy): object {
  return {
    system: {
      id: taxonomy.id,
      name: taxonomy.name,
      codename: taxonomy.codename,
      last_modified: taxonomy.lastModified,
    },
    terms: taxonomy.terms.map(termJson),
  };
}

function termJson(term: OracleTerm): object {
  return { ...nameAndCodename(term), terms: term.terms.map(termJson) };
}

export function languageJson(language: OracleLanguage): object {
  return { system: { id: language.id, name: language.name, codename: language.codename } };
}
