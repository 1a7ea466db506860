/**
 * The request target without scheme and authority (RFC 9112, 3.2.2): `GET http://any.host/odata HTTP/1.1`
 * means `/odata`, whatever the host.
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const authority = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i.exec(target);
  if (authority === null) return target;
  const rest = target.slice(authority[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Whether the target is the path or below it. Nothing is decoded: `/odat%61` is not `/odata`. */
export function isBelow(path: string, target: string): boolean {
  if (!target.startsWith(path)) return false;
  const next = target.charCodeAt(path.length);
  return Number.isNaN(next) || next === SLASH || next === QUESTION_MARK || next === NUMBER_SIGN;
}

const SLASH = 0x2f;
const QUESTION_MARK = 0x3f;
const NUMBER_SIGN = 0x23;

/** The path in front of the query. */
export function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}
