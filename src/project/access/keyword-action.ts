import { own } from '../../openapi/parse/openapi-version.ts';

/** Whether an action of an overlay writes or removes nothing but a keyword of `x-odata` at one of the targets. */
export function isKeywordAction(
  action: unknown,
  keyword: 'grants' | 'maxAge',
  targets: ReadonlySet<string>,
): boolean {
  const target = String(own(action, 'target'));
  const [, at = '', named] = /^(.*)\['x-odata'\]\.(\w+)(?:\['[^']*'\])?$/s.exec(target) ?? [];
  if (named === keyword && targets.has(at)) return own(action, 'remove') === true;
  const update = own(action, 'update');
  return targets.has(target) && isOnly(update, 'x-odata') && isOnly(own(update, 'x-odata'), keyword);
}

function isOnly(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).join() === name;
}
