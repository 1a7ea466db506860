/** The entity data model, as far as the screens are driven by it. */
export interface Metadata {
  readonly entitySets: ReadonlyMap<string, EntitySet>;
}

export interface EntitySet {
  readonly name: string;
  readonly type: StructuredType;
  /** The simple name of its entity type. */
  readonly typeName: string;
  readonly description: string | undefined;
  readonly key: readonly KeyPart[];
  /** Those of the entity type itself; types that derive from it may have more. */
  readonly properties: readonly Property[];
  readonly insertable: boolean;
  readonly searchable: boolean;
}

/** A property that the key is made of. */
interface KeyPart {
  /** What it is called in a key predicate: an alias, where the property is within another one (CSDL 4.01, 6.5). */
  readonly name: string;
  /** Where it is in an entity: `Metadata/Name`. */
  readonly path: string;
}

/** An entity type or a complex type. */
export interface StructuredType {
  /** With its namespace. */
  readonly name: string;
  /** The simple name in words. */
  readonly label: string;
  /** No value is of this type itself, but of one that derives from it. */
  readonly isAbstract: boolean;
  readonly properties: readonly Property[];
  /** The types that derive from it, at whatever depth. */
  readonly derived: readonly StructuredType[];
}

export interface Property {
  readonly name: string;
  /** The name in words. */
  readonly label: string;
  readonly description: string | undefined;
  readonly type: PropertyType;
  readonly isCollection: boolean;
  readonly nullable: boolean;
  /** What its values, or its items, must keep to. */
  readonly limits: Limits;
  readonly defaultValue: unknown;
  /** Given by the service: a create does not take it. */
  readonly computed: boolean;
  /** Taken by a create, and never shown. */
  readonly writeOnly: boolean;
}

/** Facets (CSDL 4.01, 7.2) and what the vocabulary Validation says. */
export interface Limits {
  readonly maxLength?: number | undefined;
  /** How many decimals there may be. */
  readonly scale?: number | undefined;
  readonly pattern?: string | undefined;
  readonly minimum?: Bound | undefined;
  readonly maximum?: Bound | undefined;
  /** The only values that there may be. */
  readonly allowedValues?: readonly string[] | undefined;
}

interface Bound {
  readonly value: number;
  readonly isExclusive: boolean;
}

export type PropertyType =
  | { readonly kind: 'primitive'; readonly name: string }
  | {
      readonly kind: 'enum';
      readonly name: string;
      readonly members: readonly string[];
      readonly flags: boolean;
      /** Of flags, the member that is none of them: its value is 0. */
      readonly none?: string | undefined;
    }
  | { readonly kind: 'complex'; readonly name: string; readonly structure: StructuredType };

/** The property at this path, which is its name where it is one of the entities themselves. */
export function propertyOf(
  { properties }: Pick<EntitySet, 'properties'>,
  path: string,
): Property | undefined {
  const [name, ...within] = path.split('/');
  const found = properties.find((property) => property.name === name);
  if (found === undefined || within.length === 0) return found;
  return found.type.kind === 'complex' ? propertyOf(found.type.structure, within.join('/')) : undefined;
}

/** The type itself or the one that derives from it, by its name; undefined where it is neither. */
export function typeNamed(type: StructuredType, name: string): StructuredType | undefined {
  return type.name === name ? type : type.derived.find((derived) => derived.name === name);
}

/** Whether its values can be compared, sorted and filtered. */
export function isComparable({ type, isCollection }: Property): boolean {
  if (isCollection || type.kind === 'complex') return false;
  return type.kind === 'enum' || !/^Edm\.(Binary|Stream|Untyped|Geo.*)$/.test(type.name);
}

/** Reads a model from CSDL JSON 4.01. */
export function readCsdl(document: unknown): Metadata {
  const root = nodeOf(document);
  const types = readTypes(root);
  const container = nodeOf(types.nodes.get(String(root['$EntityContainer'])));
  const entitySets = members(container)
    .filter(([, member]) => member['$Collection'] === true)
    .map(([name, member]) => [name, readEntitySet(name, member, types)] as const);
  return { entitySets: new Map(entitySets) };
}

function readEntitySet(name: string, member: CsdlNode, types: CsdlTypes): EntitySet {
  const typeName = String(member['$Type']);
  const lineage = lineageOf(typeName, types.nodes);
  const insert = nodeOf(member['@Capabilities.InsertRestrictions']);
  const search = nodeOf(member['@Capabilities.SearchRestrictions']);
  const notInsertable = new Set(listOf(insert['NonInsertableProperties']).map(String));
  const required = new Set(listOf(insert['RequiredProperties']).map(String));
  const type = withComputed(types.structured(typeName), notInsertable);
  return {
    name,
    type: withRequired(type, required),
    typeName: simpleName(typeName),
    description: textOf(member['@Core.Description']) ?? textOf(lineage.at(-1)?.['@Core.Description']),
    key: lineage.flatMap((node) => listOf(node['$Key']).flatMap(readKeyPart)),
    properties: type.properties,
    insertable: insert['Insertable'] !== false,
    searchable: search['Searchable'] !== false,
  };
}

/** A name, or an alias with the path that it stands for (CSDL JSON 4.01, 6.5). */
function readKeyPart(part: unknown): readonly KeyPart[] {
  if (typeof part === 'string') return [{ name: part, path: part }];
  return Object.entries(nodeOf(part)).map(([name, path]) => ({ name, path: String(path) }));
}

/** The type where a create must say what is named, though reads may have null for it. */
function withRequired(type: StructuredType, names: ReadonlySet<string>): StructuredType {
  return {
    ...type,
    properties: type.properties.map((property) =>
      names.has(property.name) ? { ...property, nullable: false } : property,
    ),
    derived: type.derived.map((derived) => withRequired(derived, names)),
  };
}

/** The type where a create does not take what is named. */
function withComputed(type: StructuredType, names: ReadonlySet<string>): StructuredType {
  return {
    ...type,
    properties: type.properties.map((property) =>
      names.has(property.name) ? { ...property, computed: true } : property,
    ),
    derived: type.derived.map((derived) => withComputed(derived, names)),
  };
}

/** The types of a document. */
interface CsdlTypes {
  /** What the document says of each, by qualified name. */
  readonly nodes: ReadonlyMap<string, CsdlNode>;
  /** An entity type or a complex type. */
  structured(name: string): StructuredType;
  /** The type of a property. */
  type(name: string): PropertyType;
}

function readTypes(root: CsdlNode): CsdlTypes {
  const nodes = typeNodes(root);
  const types: CsdlTypes = {
    nodes,
    structured: (name) => readStructured(name, types),
    type: (name) => readType(name, types),
  };
  return types;
}

/** The type and those it derives from, the base first. */
function lineageOf(typeName: string, nodes: CsdlTypes['nodes']): readonly CsdlNode[] {
  const type = nodeOf(nodes.get(typeName));
  const base = type['$BaseType'];
  return typeof base === 'string' ? [...lineageOf(base, nodes), type] : [type];
}

function typeNodes(root: CsdlNode): CsdlTypes['nodes'] {
  const nodes = new Map<string, CsdlNode>();
  for (const [namespace, schema] of members(root)) {
    const alias = schema['$Alias'];
    for (const [name, member] of members(schema)) {
      nodes.set(`${namespace}.${name}`, member);
      if (typeof alias === 'string') nodes.set(`${alias}.${name}`, member);
    }
  }
  return nodes;
}

/** Properties are read when they are asked for: a type may have a property of its own type. */
function readStructured(name: string, types: CsdlTypes): StructuredType {
  const node = nodeOf(types.nodes.get(name));
  return {
    name,
    label: labelOf(simpleName(name)),
    isAbstract: node['$Abstract'] === true,
    get properties() {
      const own = lineageOf(name, types.nodes).flatMap(members).filter(isStructural);
      return own.map(([property, member]) => readProperty(property, member, types));
    },
    get derived() {
      return derivedNames(name, types).map(types.structured);
    },
  };
}

/** A stream is no value in the entity's JSON: it is read and written at an address of its own. */
function isStructural([, member]: readonly [string, CsdlNode]): boolean {
  return member['$Kind'] === undefined && member['$Type'] !== 'Edm.Stream';
}

function derivedNames(name: string, { nodes }: CsdlTypes): readonly string[] {
  const base = nodes.get(name);
  return [...nodes]
    .filter(([other, node]) => node !== base && lineageOf(other, nodes).includes(nodeOf(base)))
    .filter(([, node], index, all) => all.findIndex(([, twin]) => twin === node) === index)
    .map(([other]) => other);
}

function readType(name: string, types: CsdlTypes): PropertyType {
  const node = types.nodes.get(name);
  switch (node?.['$Kind']) {
    case 'TypeDefinition':
      return readType(String(node['$UnderlyingType']), types);
    case 'EnumType':
      return readEnum(name, node);
    case 'ComplexType':
      return { kind: 'complex', name, structure: types.structured(name) };
    default:
      return { kind: 'primitive', name };
  }
}

function readEnum(name: string, node: CsdlNode): PropertyType {
  const members = Object.entries(node).filter(
    ([member, value]) => !/[$@]/.test(member) && typeof value === 'number',
  );
  const flags = node['$IsFlags'] === true;
  return {
    kind: 'enum',
    name,
    members: members.map(([member]) => member),
    flags,
    none: flags ? members.find(([, value]) => value === 0)?.[0] : undefined,
  };
}

function readProperty(name: string, member: CsdlNode, types: CsdlTypes): Property {
  const typeName = String(member['$Type'] ?? 'Edm.String');
  return {
    name,
    label: labelOf(name),
    description: textOf(member['@Core.Description']),
    type: types.type(typeName),
    isCollection: member['$Collection'] === true,
    nullable: member['$Nullable'] === true,
    limits: readLimits({ ...definitionOf(typeName, types), ...member }),
    defaultValue: member['$DefaultValue'],
    computed: member['@Core.Computed'] === true,
    writeOnly: member['@Core.Permissions'] === 'Write',
  };
}

/** What a type definition says holds for each of its values (CSDL JSON 4.01, 11). */
function definitionOf(typeName: string, types: CsdlTypes): CsdlNode {
  const node = nodeOf(types.nodes.get(typeName));
  return node['$Kind'] === 'TypeDefinition' ? node : {};
}

function readLimits(node: CsdlNode): Limits {
  const allowed = listOf(node['@Validation.AllowedValues']).map((item) => String(nodeOf(item)['Value']));
  return {
    maxLength: numberOf(node['$MaxLength']),
    scale: numberOf(node['$Scale']),
    pattern: textOf(node['@Validation.Pattern']),
    minimum: readBound(node, '@Validation.Minimum'),
    maximum: readBound(node, '@Validation.Maximum'),
    allowedValues: allowed.length === 0 ? undefined : allowed,
  };
}

function readBound(node: CsdlNode, term: string): Bound | undefined {
  const value = numberOf(node[term]);
  return value === undefined
    ? undefined
    : { value, isExclusive: node[`${term}@Validation.Exclusive`] === true };
}

/** A JSON object of a CSDL document: members by name. */
type CsdlNode = Readonly<Record<string, unknown>>;

function nodeOf(value: unknown): CsdlNode {
  return typeof value === 'object' && value !== null ? (value as CsdlNode) : {};
}

/** The members that are no control information and no annotation (CSDL JSON 4.01, 2.1). */
function members(node: CsdlNode): readonly (readonly [string, CsdlNode])[] {
  return Object.entries(node)
    .filter(([name]) => !name.includes('$') && !name.includes('@'))
    .map(([name, member]) => [name, nodeOf(member)] as const);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function simpleName(qualified: string): string {
  return qualified.slice(qualified.lastIndexOf('.') + 1);
}

/** `UserId` → `User Id`, `ISBNCode` → `ISBN Code`. */
function labelOf(name: string): string {
  return name.replace(/([\p{Ll}\d])(\p{Lu})|(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1$3 $2$4').replaceAll('_', ' ');
}
