/** A request target without its token, and the token. */
export interface TokenTarget {
  readonly rest: string;
  readonly token: string | undefined;
}

export const SKIP_TOKEN = /^(?:\$|%24)?skiptoken=/i;
export const DELTA_TOKEN = /^(?:\$|%24)?deltatoken=/i;

/** `option` matches the beginning of the query option that is the token. */
export function withoutToken(target: string, option: RegExp): TokenTarget {
  const mark = target.indexOf('?');
  if (mark < 0) return { rest: target, token: undefined };
  const options = target.slice(mark + 1).split('&');
  const token = options.find((each) => option.test(each));
  const others = options.filter((each) => each !== token).join('&');
  const path = target.slice(0, mark);
  return {
    rest: others === '' ? path : `${path}?${others}`,
    token: token?.slice(token.indexOf('=') + 1),
  };
}

export function withOption(target: string, name: string, value: string): string {
  return `${target}${target.includes('?') ? '&' : '?'}${name}=${value}`;
}

/** A token's text, in letters that stand in a URL as they are. */
export function encodeToken(text: string): string {
  return Buffer.from(text).toString('base64url');
}

export function decodeToken(token: string): string {
  return Buffer.from(token, 'base64url').toString();
}
