import { type Property, type StructuredType, typeNamed } from '../../service/metadata.ts';
import { readInput } from './input-value.ts';

/** The state of a form, in the structure of the resulting value. */
export type Draft = TextDraft | AbsentDraft | StructureDraft | ItemsDraft;

export interface TextDraft {
  readonly kind: 'text';
  readonly text: string;
}

/** An omitted optional structure. */
export interface AbsentDraft {
  readonly kind: 'absent';
}

export interface StructureDraft {
  readonly kind: 'structure';
  /** The name of the value's type; empty until it is selected. */
  readonly type: string;
  readonly members: Readonly<Record<string, Draft>>;
}

export interface ItemsDraft {
  readonly kind: 'items';
  readonly items: readonly Item[];
}

export interface Item {
  /** A stable id of the item. */
  readonly id: number;
  readonly draft: Draft;
}

/** The properties that a create accepts. */
export function inputProperties(type: StructuredType): readonly Property[] {
  return type.properties.filter(({ computed }) => !computed);
}

/** An empty form; an abstract type has to be replaced by a derived one. */
export function emptyStructure(type: StructuredType): StructureDraft {
  return changeType(type.isAbstract ? undefined : type, { kind: 'structure', type: '', members: {} });
}

/** Changes the type of a draft; common properties keep their content. */
export function changeType(type: StructuredType | undefined, { members }: StructureDraft): StructureDraft {
  if (type === undefined) return { kind: 'structure', type: '', members };
  const empty = inputProperties(type).map((property) => [property.name, emptyDraft(property)] as const);
  return { kind: 'structure', type: type.name, members: { ...Object.fromEntries(empty), ...members } };
}

/** The initial state of a property's input, from its default value. */
export function emptyDraft(property: Property): Draft {
  const { type, isCollection, nullable, defaultValue } = property;
  if (isCollection) return { kind: 'items', items: [] };
  if (type.kind === 'complex') return nullable ? { kind: 'absent' } : emptyStructure(type.structure);
  return { kind: 'text', text: defaultValue === undefined ? '' : String(defaultValue) };
}

/** Adds an empty item. */
export function addItem(property: Property, { items }: ItemsDraft): ItemsDraft {
  const id = Math.max(0, ...items.map((item) => item.id)) + 1;
  return { kind: 'items', items: [...items, { id, draft: emptyDraft(itemProperty(property)) }] };
}

/** An item of a collection as a property. */
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
 * The path of the input that shows an error with this target, such as `Languages/0`: its own, or that of an
 * enclosing input. Undefined without one.
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

/** Error messages by path, such as `Address/City` and `Languages/0`. */
export type Problems = Readonly<Record<string, string>>;

/** The JSON text of a draft; undefined if empty. */
interface Reading {
  readonly json?: string | undefined;
  readonly problems: Problems;
}

/** Reads all inputs of a form; empty ones are omitted. */
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
  // The declared type is omitted (JSON Format 4.01, 4.5.3).
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

/** An empty collection is a value, unless the property is nullable. */
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
