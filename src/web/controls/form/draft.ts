import type { Property } from '../../service/metadata.ts';
import { readInput } from './read-input.ts';

/** The texts of a form's inputs, by the paths of their properties, such as `Address/City`. */
export type Draft = Readonly<Record<string, string>>;

/** Messages by the paths of the properties that they are about. */
export type Problems = Readonly<Record<string, string>>;

/** The input at which the target of a mistake, such as `Languages/0`, is told: its own or that of what it is in. */
export function inputPath(draft: Draft, target = ''): string | undefined {
  return Object.keys(draft).find((path) => target === path || target.startsWith(`${path}/`));
}

/** What the properties' default values make of an empty form. */
export function emptyDraft(properties: readonly Property[], path = ''): Draft {
  return Object.assign(
    {},
    ...properties.map((property) => {
      const own = path + property.name;
      if (isGroup(property)) return emptyDraft(property.type.properties, `${own}/`);
      return { [own]: property.defaultValue === undefined ? '' : String(property.defaultValue) };
    }),
  );
}

/** A property whose value has inputs of its own. */
export function isGroup(property: Property): property is Property & {
  readonly type: { readonly kind: 'complex'; readonly properties: readonly Property[] };
} {
  return property.type.kind === 'complex' && !property.isCollection;
}

interface Reading {
  /** A JSON object. */
  readonly json: string;
  readonly problems: Problems;
}

/** Reads all the inputs; what is left empty is not in the object. */
export function readDraft(properties: readonly Property[], draft: Draft, path = ''): Reading {
  const members: string[] = [];
  let problems: Problems = {};
  for (const property of properties) {
    const reading = readMember(property, draft, path + property.name);
    problems = { ...problems, ...reading.problems };
    if (reading.json !== undefined) members.push(`${JSON.stringify(property.name)}:${reading.json}`);
  }
  return { json: `{${members.join(',')}}`, problems };
}

function readMember(
  property: Property,
  draft: Draft,
  path: string,
): { readonly json?: string | undefined; readonly problems?: Problems } {
  if (isGroup(property)) {
    if (property.nullable && isUntouched(draft, path)) return {};
    return readDraft(property.type.properties, draft, `${path}/`);
  }
  const read = readInput(property, draft[path] ?? '');
  if (read.kind === 'problem') return { problems: { [path]: read.message } };
  return read.kind === 'value' ? { json: read.json } : {};
}

function isUntouched(draft: Draft, path: string): boolean {
  return Object.entries(draft).every(([name, text]) => !name.startsWith(`${path}/`) || text.trim() === '');
}
