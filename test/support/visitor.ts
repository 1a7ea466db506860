/** A response in a browser. */
export interface Visit {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** The parts of a browser that signing in needs: cookies and single redirects. */
export class Visitor {
  readonly #cookies = new Map<string, Map<string, string>>();

  async send(url: string, init: RequestInit = {}): Promise<Visit> {
    const jar = this.#jarOf(url);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = new Headers(init.headers);
    if (cookie !== '') headers.set('cookie', cookie);
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const each of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = each.split(';');
      const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      const isRemoved = attributes.some((text) => /^\s*(max-age=0|expires=thu, 01 jan 1970)/i.test(text));
      if (isRemoved) jar.delete(name);
      else jar.set(name, value);
    }
    return { url, status: response.status, text: await response.text(), headers: response.headers };
  }

  /** Goes on until an answer is no redirect, or leads to what is not to be asked. */
  async follow(url: string, isEnd: (url: string) => boolean): Promise<string> {
    let at = url;
    for (let step = 0; step < 20 && !isEnd(at); step++) {
      const { status, headers, text } = await this.send(at);
      const location = headers.get('location');
      if (location === null) throw new Error(`expected a redirect from ${at}, but found ${status}: ${text}`);
      at = new URL(location, at).href;
    }
    return at;
  }

  cookieOf(url: string, name: string): string | undefined {
    return this.#jarOf(url).get(name);
  }

  setCookie(url: string, name: string, value: string): void {
    this.#jarOf(url).set(name, value);
  }

  #jarOf(url: string): Map<string, string> {
    const { origin } = new URL(url);
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    return jar;
  }
}
