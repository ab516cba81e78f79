/** Calls of the management API within this process, as the gateway passes them to core. */

async function* bytes(value) {
  yield Buffer.from(JSON.stringify(value));
}

/** @returns {(method: string, path: string, body?: unknown) => Promise<void>} rejects where the answer is no success */
export function manageCall(core, project) {
  return async function call(method, path, body) {
    const { status } = await core.handle({
      surface: 'manage',
      method,
      path: `/v2/projects/${project}${path}`,
      query: '',
      headers: { 'content-type': 'application/json' },
      bases: { self: 'http://localhost/manage', assets: 'http://localhost/assets' },
      principal: { kind: 'key', key: 'key', keyKind: 'management', user: null },
      requestId: 'killed',
      ...(body && { body: bytes(body) }),
    });
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}.`);
  };
}
