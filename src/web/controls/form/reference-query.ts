import type { Reference } from '../../service/metadata.ts';
import { quote } from '../list/list-query.ts';

export const PAGE_SIZE = 10;

/** The path and query for a page of the entities whose key or title has the text. */
export function choicesUrl(
  { entitySet, key, keyType, title }: Reference,
  text: string,
  skip: number,
): string {
  const properties = [key, ...(title === undefined ? [] : [title])];
  const conditions = text === '' ? [] : [...keyCondition(key, keyType, text), ...titleCondition(title, text)];
  // No entity can have the text: an empty condition would offer all of them.
  const filter = conditions.length === 0 && text !== '' ? 'false' : conditions.join(' or ');
  const options = {
    $top: String(PAGE_SIZE),
    ...(skip > 0 && { $skip: String(skip) }),
    $select: properties.join(','),
    ...(filter !== '' && { $filter: filter }),
  };
  const written = Object.entries(options).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `/${entitySet}?${written.join('&')}`;
}

function keyCondition(key: string, type: string, text: string): readonly string[] {
  if (type === 'Edm.String') return [`startswith(${key},${quote(text)})`];
  if (type === 'Edm.Guid')
    return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) ? [`${key} eq ${text}`] : [];
  return /^-?\d{1,15}$/.test(text) ? [`${key} eq ${text}`] : [];
}

function titleCondition(title: string | undefined, text: string): readonly string[] {
  return title === undefined ? [] : [`contains(tolower(${title}),${quote(text.toLowerCase())})`];
}
