import { type Property, type StructuredType, typeNamed } from '../../service/metadata.ts';
import { readInput } from './input-value.ts';

/** What has been put into a form so far, in the shape of the value that it becomes. */
export type Draft = TextDraft | AbsentDraft | StructureDraft | ItemsDraft;

/** The text of one input. */
export interface TextDraft {
  readonly kind: 'text';
  readonly text: string;
}

/** A structure that may be left out, and is. */
export interface AbsentDraft {
  readonly kind: 'absent';
}

export interface StructureDraft {
  readonly kind: 'structure';
  /** The name of the type that the value is of; empty while it has to be chosen. */
  readonly type: string;
  readonly members: Readonly<Record<string, Draft>>;
}

export interface ItemsDraft {
  readonly kind: 'items';
  readonly items: readonly Item[];
}

export interface Item {
  /** Stays with the item when others are removed. */
  readonly id: number;
  readonly draft: Draft;
}

/** The properties that a create takes. */
export function inputProperties(type: StructuredType): readonly Property[] {
  return type.properties.filter(({ computed }) => !computed);
}

/** An empty form; of a type that others derive from, one has to be chosen where it is abstract. */
export function emptyStructure(type: StructuredType): StructureDraft {
  return changeType(type.isAbstract ? undefined : type, { kind: 'structure', type: '', members: {} });
}

/** The draft as one of another type; what both have stays as it is. */
export function changeType(type: StructuredType | undefined, { members }: StructureDraft): StructureDraft {
  if (type === undefined) return { kind: 'structure', type: '', members };
  const empty = inputProperties(type).map((property) => [property.name, emptyDraft(property)] as const);
  return { kind: 'structure', type: type.name, members: { ...Object.fromEntries(empty), ...members } };
}

/** What a property's default value makes of its input. */
export function emptyDraft(property: Property): Draft {
  const { type, isCollection, nullable, defaultValue } = property;
  if (isCollection) return { kind: 'items', items: [] };
  if (type.kind === 'complex') return nullable ? { kind: 'absent' } : emptyStructure(type.structure);
  return { kind: 'text', text: defaultValue === undefined ? '' : String(defaultValue) };
}

/** One more item, empty. */
export function addItem(property: Property, { items }: ItemsDraft): ItemsDraft {
  const id = Math.max(0, ...items.map((item) => item.id)) + 1;
  return { kind: 'items', items: [...items, { id, draft: emptyDraft(itemProperty(property)) }] };
}

/** Each item of a collection, as a property of its own. */
export function itemProperty(property: Property): Property {
  return {
    ...property,
    isCollection: false,
    nullable: false,
    description: undefined,
    defaultValue: undefined,
  };
}

/**
 * The input at which the target of a mistake, such as `Languages/0`, is told: its own or that of what it is in.
 * Undefined where the form has none.
 */
export function inputPath(draft: Draft, target = ''): string | undefined {
  const reached: string[] = [];
  let place: Draft | undefined = draft;
  for (const segment of target.split('/')) {
    place = memberOf(place, segment);
    if (place === undefined) break;
    reached.push(segment);
  }
  return reached.length === 0 ? undefined : reached.join('/');
}

function memberOf(draft: Draft, name: string): Draft | undefined {
  if (draft.kind === 'structure') return Object.hasOwn(draft.members, name) ? draft.members[name] : undefined;
  return draft.kind === 'items' ? draft.items[Number(name)]?.draft : undefined;
}

/** Messages by the paths of what they are about, such as `Address/City` and `Languages/0`. */
export type Problems = Readonly<Record<string, string>>;

/** What a draft says, as JSON text; undefined where it says nothing. */
interface Reading {
  readonly json?: string | undefined;
  readonly problems: Problems;
}

/** Reads all the inputs of a form; what is left empty is not in the object. */
export function readStructure(type: StructuredType, draft: StructureDraft, path = ''): Reading {
  const chosen = typeNamed(type, draft.type);
  if (chosen === undefined) return { problems: { [`${path}@type`]: 'Choose one.' } };
  const readings = inputProperties(chosen).map((property) => {
    const member = draft.members[property.name] ?? emptyDraft(property);
    return [property.name, readProperty(property, member, path + property.name)] as const;
  });
  const members = readings.flatMap(([name, { json }]) =>
    json === undefined ? [] : [`${JSON.stringify(name)}:${json}`],
  );
  // The declared type goes without saying (JSON Format 4.01, 4.5.3).
  const control = chosen.name === type.name ? [] : [`"@odata.type":"#${chosen.name}"`];
  return {
    json: `{${[...control, ...members].join(',')}}`,
    problems: allProblems(readings.map(([, one]) => one)),
  };
}

function readProperty(property: Property, draft: Draft, path: string): Reading {
  switch (draft.kind) {
    case 'absent':
      return { problems: {} };
    case 'structure':
      return property.type.kind === 'complex'
        ? readStructure(property.type.structure, draft, `${path}/`)
        : { problems: {} };
    case 'items':
      return readItems(property, draft.items, path);
    case 'text':
      return readText(property, draft.text, path);
  }
}

/** An empty collection is a value, unless there may be none. */
function readItems(property: Property, items: readonly { readonly draft: Draft }[], path: string): Reading {
  if (items.length === 0) return { json: property.nullable ? undefined : '[]', problems: {} };
  const readings = items.map(({ draft }, index) =>
    readProperty(itemProperty(property), draft, `${path}/${index}`),
  );
  return { json: `[${readings.map(({ json }) => json).join(',')}]`, problems: allProblems(readings) };
}

function readText(property: Property, text: string, path: string): Reading {
  const read = readInput(property, text);
  if (read.kind === 'problem') return { problems: { [path]: read.message } };
  return { json: read.kind === 'value' ? read.json : undefined, problems: {} };
}

function allProblems(readings: readonly Reading[]): Problems {
  return Object.assign({}, ...readings.map(({ problems }) => problems));
}
