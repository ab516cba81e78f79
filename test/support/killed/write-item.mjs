/**
 * Makes an item anew and takes it through its states, over and over, until a call rejects.
 *
 * @param report is called before each call with the state it should lead to, after the answer that it is done
 */
export async function writeItem({ item, round, call, report }) {
  const path = `/items/external-id/${item}`;
  const variant = `${path}/variants/codename/default`;
  const to = async (state, ...request) => {
    report({ item, state });
    await call(...request);
    report({ item, done: true });
  };
  await to({ latest: null, published: null }, 'PUT', path, {
    name: item,
    type: { codename: 'piece' },
    sitemap_locations: [],
  });
  for (let turn = 0; ; turn++) {
    const before = `${round} ${item} ${turn - 1}`;
    const title = `${round} ${item} ${turn}`;
    const published = turn === 0 ? null : before;
    const elements = [
      { element: { codename: 'title' }, value: title },
      { element: { codename: 'links' }, value: [{ external_id: item }, { codename: 'anchor' }] },
    ];
    await to({ latest: title, published }, 'PUT', variant, { elements });
    await to({ latest: title, published: title }, 'PUT', `${variant}/publish`);
    await to({ latest: title, published: title }, 'PUT', `${variant}/new-version`);
    // The anchor is linked to by all the others.
    if (turn % 3 === 2)
      await call('PUT', '/items/external-id/anchor', {
        name: title,
        codename: 'anchor',
        sitemap_locations: [],
      });
  }
}
