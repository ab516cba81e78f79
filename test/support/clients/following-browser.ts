/** A browser that follows redirects between origins, with the cookies of each. */
export class FollowingBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();

  cookies(origin: string): Map<string, string> {
    const own = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, own);
    return own;
  }

  /** One request, without following. */
  async get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const { origin } = new URL(url);
    const cookies = this.cookies(origin);
    const response = await fetch(url, {
      redirect: 'manual',
      headers: {
        ...headers,
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '' || /max-age=0/i.test(set)) cookies.delete(name);
      else cookies.set(name, value);
    }
    await response.arrayBuffer();
    return response;
  }

  /** Follows up to the first address that `isEnd` names, which is not asked for. @returns that address */
  async follow(url: string, isEnd: (url: URL) => boolean): Promise<URL> {
    let at = new URL(url);
    for (let count = 0; count < 20; count += 1) {
      if (isEnd(at)) return at;
      const response = await this.get(at.href);
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${at.href} answers ${response.status} and leads nowhere.`);
      at = new URL(location, at);
    }
    throw new Error('The redirects do not end.');
  }
}
