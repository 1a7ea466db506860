import { items, member, text } from '../../../openapi/document/document-node.ts';
import { type DocumentSource, resolve } from '../../../openapi/document/document-source.ts';
import type { DocumentParameter } from './document-parameter.ts';

/** Names of what says in which form an answer is written. */
const FORM = /format|extension|content_?type|media_?type/i;

const VERSION = /^(?:api[_-]?)?version$/i;

/** What may stand in a path as it is. */
const PLAIN = /^[\w.-]{1,32}$/;

/**
 * The path with the values of those parameters that have but one: `/lists.{format}` is `/lists.json`, where JSON is
 * among the forms, and `/v{version}/areas` has the version that is the default. None of them tells resources apart.
 */
export function givenPath(
  source: DocumentSource,
  path: string,
  parameters: readonly DocumentParameter[],
): string {
  const given = path.replaceAll(/\{([^{}]+)\}/g, (written, name) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    const value = parameter === undefined ? undefined : givenValue(source, parameter);
    return value !== undefined && PLAIN.test(value) ? value : written;
  });
  // Where the document has that path, too, it is another one.
  return given === path || member(member(source.root, 'paths'), given) === undefined ? given : path;
}

function givenValue(source: DocumentSource, { name, schema }: DocumentParameter): string | undefined {
  const resolved = resolve(source, schema);
  const values = items(member(resolved, 'enum')).flatMap((each) => text(each) ?? []);
  const [only, ...others] = values;
  if (only !== undefined && others.length === 0) return only;
  if (FORM.test(name)) return values.find((value) => /^\.?json$/i.test(value));
  const otherwise = member(resolved, 'default')?.value;
  const isVersion = VERSION.test(name) && (typeof otherwise === 'string' || typeof otherwise === 'number');
  return text(member(resolved, 'const')) ?? (isVersion ? String(otherwise) : undefined);
}
