interface Named<Codename extends string | null = string> {
  readonly id: string;
  readonly name: string;
  readonly codename: Codename;
}

/** An object of the content model or an item: the schema `AdminNamed`. */
export function named<Codename extends string | null>({ id, name, codename }: Named<Codename>) {
  return { id, name, codename };
}

export function namedVariant<Codename extends string | null>({
  item,
  language,
}: {
  readonly item: Named<Codename>;
  readonly language: Named;
}) {
  return { item: named(item), language: named(language) };
}
