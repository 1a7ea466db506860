import type { EntitySet, Metadata, Property, PropertyType } from './metadata.ts';

/** A JSON object of a CSDL document: members by name. */
type Node = Readonly<Record<string, unknown>>;

/** Types by their qualified names. */
type Types = ReadonlyMap<string, Node>;

/** Reads a model from CSDL JSON 4.01. */
export function readCsdl(document: unknown): Metadata {
  const root = nodeOf(document);
  const types = typesOf(root);
  const container = nodeOf(types.get(String(root['$EntityContainer'])));
  const entitySets = members(container)
    .filter(([, member]) => member['$Collection'] === true)
    .map(([name, member]) => [name, readEntitySet(name, member, types)] as const);
  return { entitySets: new Map(entitySets) };
}

function nodeOf(value: unknown): Node {
  return typeof value === 'object' && value !== null ? (value as Node) : {};
}

/** The members that are no control information and no annotation (CSDL JSON 4.01, 2.1). */
function members(node: Node): readonly (readonly [string, Node])[] {
  return Object.entries(node)
    .filter(([name]) => !name.includes('$') && !name.includes('@'))
    .map(([name, member]) => [name, nodeOf(member)] as const);
}

function typesOf(root: Node): Types {
  const types = new Map<string, Node>();
  for (const [namespace, schema] of members(root)) {
    const alias = schema['$Alias'];
    for (const [name, member] of members(schema)) {
      types.set(`${namespace}.${name}`, member);
      if (typeof alias === 'string') types.set(`${alias}.${name}`, member);
    }
  }
  return types;
}

function readEntitySet(name: string, member: Node, types: Types): EntitySet {
  const typeName = String(member['$Type']);
  const lineage = lineageOf(typeName, types);
  const insert = nodeOf(member['@Capabilities.InsertRestrictions']);
  const search = nodeOf(member['@Capabilities.SearchRestrictions']);
  const notInsertable = new Set(listOf(insert['NonInsertableProperties']).map(String));
  return {
    name,
    typeName: simpleName(typeName),
    description: textOf(member['@Core.Description']) ?? textOf(lineage.at(-1)?.['@Core.Description']),
    key: lineage.flatMap((type) => listOf(type['$Key']).filter((part) => typeof part === 'string')),
    properties: readProperties(lineage, types).map((property) =>
      notInsertable.has(property.name) ? { ...property, computed: true } : property,
    ),
    insertable: insert['Insertable'] !== false,
    searchable: search['Searchable'] !== false,
  };
}

/** The type and those it derives from, the base first. */
function lineageOf(typeName: string, types: Types): readonly Node[] {
  const type = nodeOf(types.get(typeName));
  const base = type['$BaseType'];
  return typeof base === 'string' ? [...lineageOf(base, types), type] : [type];
}

/** A stream is no value in the entity's JSON: it is read and written at an address of its own. */
function readProperties(lineage: readonly Node[], types: Types): readonly Property[] {
  return lineage
    .flatMap(members)
    .filter(([, member]) => member['$Kind'] === undefined && member['$Type'] !== 'Edm.Stream')
    .map(([name, member]) => readProperty(name, member, types));
}

function readProperty(name: string, member: Node, types: Types): Property {
  const maxLength = member['$MaxLength'];
  return {
    name,
    label: labelOf(name),
    description: textOf(member['@Core.Description']),
    type: readType(String(member['$Type'] ?? 'Edm.String'), types),
    isCollection: member['$Collection'] === true,
    nullable: member['$Nullable'] === true,
    maxLength: typeof maxLength === 'number' ? maxLength : undefined,
    hasPattern: member['@Validation.Pattern'] !== undefined,
    defaultValue: member['$DefaultValue'],
    computed: member['@Core.Computed'] === true,
    writeOnly: member['@Core.Permissions'] === 'Write',
  };
}

function readType(name: string, types: Types): PropertyType {
  const type = types.get(name);
  if (type?.['$Kind'] === 'TypeDefinition') return readType(String(type['$UnderlyingType']), types);
  if (type?.['$Kind'] === 'EnumType') {
    const names = Object.entries(type).filter(
      ([member, value]) => !/[$@]/.test(member) && typeof value === 'number',
    );
    return { kind: 'enum', name, members: names.map(([member]) => member), flags: type['$IsFlags'] === true };
  }
  if (type?.['$Kind'] === 'ComplexType') {
    return { kind: 'complex', name, properties: readProperties(lineageOf(name, types), types) };
  }
  return { kind: 'primitive', name };
}

function simpleName(qualified: string): string {
  return qualified.slice(qualified.lastIndexOf('.') + 1);
}

/** `UserId` → `User Id`, `ISBNCode` → `ISBN Code`. */
function labelOf(name: string): string {
  return name.replace(/([\p{Ll}\d])(\p{Lu})|(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1$3 $2$4').replaceAll('_', ' ');
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
