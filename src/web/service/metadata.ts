/** The parts of the entity data model that the screens use. */
export interface Metadata {
  readonly entitySets: ReadonlyMap<string, EntitySet>;
}

/** The entity set that a foreign key refers to. */
export interface Reference {
  readonly entitySet: string;
  /** The name of the entities in words. */
  readonly label: string;
  /** The property that is the key, and its type. */
  readonly key: string;
  readonly keyType: string;
  /** The property that people know the entities by, if any. */
  readonly title: string | undefined;
}

/** References by the paths of the foreign keys: `CustomerId`, `Customer/Id`. */
export type References = ReadonlyMap<string, Reference>;

export interface EntitySet {
  readonly name: string;
  readonly type: StructuredType;
  /** The simple name of its entity type. */
  readonly typeName: string;
  readonly description: string | undefined;
  readonly key: readonly KeyPart[];
  /** Of the entity type itself; derived types may have more. */
  readonly properties: readonly Property[];
  readonly insertable: boolean;
  readonly searchable: boolean;
  /** The references of foreign keys to entities that the user may view. */
  readonly references: References;
}

interface KeyPart {
  /** The name in a key predicate: an alias for a nested property (CSDL 4.01, 6.5). */
  readonly name: string;
  /** The path in an entity: `Metadata/Name`. */
  readonly path: string;
}

export interface StructuredType {
  /** The qualified name. */
  readonly name: string;
  /** The simple name in words. */
  readonly label: string;
  /** True if only derived types have values. */
  readonly isAbstract: boolean;
  readonly properties: readonly Property[];
  /** All directly and indirectly derived types. */
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
  /** The restrictions on values or items. */
  readonly limits: Limits;
  readonly defaultValue: unknown;
  /** Assigned by the service; a create must omit it. */
  readonly computed: boolean;
  /** Accepted by a create and never returned. */
  readonly writeOnly: boolean;
}

/** Facets (CSDL 4.01, 7.2) and annotations of the vocabulary Validation. */
export interface Limits {
  readonly maxLength?: number | undefined;
  /** Maximum number of decimals. */
  readonly scale?: number | undefined;
  readonly pattern?: string | undefined;
  readonly minimum?: Bound | undefined;
  readonly maximum?: Bound | undefined;
  /** The only allowed values. */
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
      /** For flags, the member with the value 0. */
      readonly none?: string | undefined;
    }
  | { readonly kind: 'complex'; readonly name: string; readonly structure: StructuredType };

/** The property at a path. */
export function propertyOf(
  { properties }: Pick<EntitySet, 'properties'>,
  path: string,
): Property | undefined {
  const [name, ...within] = path.split('/');
  const found = properties.find((property) => property.name === name);
  if (found === undefined || within.length === 0) return found;
  return found.type.kind === 'complex' ? propertyOf(found.type.structure, within.join('/')) : undefined;
}

/** The type or derived type of that name, if any. */
export function typeNamed(type: StructuredType, name: string): StructuredType | undefined {
  return type.name === name ? type : type.derived.find((derived) => derived.name === name);
}

export function isComparable({ type, isCollection }: Property): boolean {
  if (isCollection || type.kind === 'complex') return false;
  return type.kind === 'enum' || !/^Edm\.(Binary|Stream|Untyped|Geo.*)$/.test(type.name);
}

/** Reads a model from CSDL JSON 4.01. */
export function readCsdl(document: unknown): Metadata {
  const root = nodeOf(document);
  const types = readTypes(root);
  const container = nodeOf(types.nodes.get(String(root['$EntityContainer'])));
  const sets = members(container)
    .filter(([, member]) => member['$Collection'] === true)
    .map(([name, member]) => ({ member, set: readEntitySet(name, member, types) }));
  const known = new Map(sets.map(({ set }) => [set.name, set]));
  const entitySets = sets.map(({ member, set }) => {
    const references = new Map(readReferences(member, types, known));
    return [set.name, { ...set, references }] as const;
  });
  return { entitySets: new Map(entitySets) };
}

/** The referential constraints (CSDL JSON 4.01, 8.5) by which an entity of another set is found by its key alone. */
function readReferences(
  member: CsdlNode,
  types: CsdlTypes,
  known: ReadonlyMap<string, Omit<EntitySet, 'references'>>,
): readonly (readonly [string, Reference])[] {
  const bindings = nodeOf(member['$NavigationPropertyBinding']);
  const navigations = lineageOf(String(member['$Type']), types.nodes).flatMap(members);
  return navigations.flatMap(([name, navigation]) => {
    const constraints = Object.entries(nodeOf(navigation['$ReferentialConstraint']));
    const [[path, key] = [], ...others] = constraints.filter(([each]) => !each.includes('@'));
    const target = known.get(String(bindings[name]));
    const [part, ...parts] = target?.key ?? [];
    if (navigation['$Kind'] !== 'NavigationProperty' || navigation['$Collection'] === true) return [];
    if (path === undefined || others.length > 0 || target === undefined) return [];
    if (part === undefined || parts.length > 0 || part.name !== key || part.path !== key) return [];
    const keyType = propertyOf(target, part.path)?.type;
    if (keyType?.kind !== 'primitive') return [];
    const reference: Reference = {
      entitySet: target.name,
      label: labelOf(target.typeName),
      key: part.path,
      keyType: keyType.name,
      title: titlePropertyOf(target)?.name,
    };
    return [[path, reference] as const];
  });
}

/** The property that people know the entities by: a name or title, else the first text outside of the key. */
export function titlePropertyOf({
  properties,
  key,
}: Pick<EntitySet, 'properties' | 'key'>): Property | undefined {
  const texts = properties.filter(
    (property) => isText(property) && !key.some(({ path }) => path === property.name),
  );
  return texts.find((property) => /(name|title|label)$/i.test(property.name)) ?? texts[0];
}

export function isText({ type, isCollection }: Property): boolean {
  return type.kind === 'primitive' && type.name === 'Edm.String' && !isCollection;
}

function readEntitySet(name: string, member: CsdlNode, types: CsdlTypes): Omit<EntitySet, 'references'> {
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

/** A name, or an alias with its path (CSDL JSON 4.01, 6.5). */
function readKeyPart(part: unknown): readonly KeyPart[] {
  if (typeof part === 'string') return [{ name: part, path: part }];
  return Object.entries(nodeOf(part)).map(([name, path]) => ({ name, path: String(path) }));
}

/** Marks properties as required for a create, even if they are nullable. */
function withRequired(type: StructuredType, names: ReadonlySet<string>): StructuredType {
  return {
    ...type,
    properties: type.properties.map((property) =>
      names.has(property.name) ? { ...property, nullable: false } : property,
    ),
    derived: type.derived.map((derived) => withRequired(derived, names)),
  };
}

/** Marks properties that a create must omit. */
function withComputed(type: StructuredType, names: ReadonlySet<string>): StructuredType {
  return {
    ...type,
    properties: type.properties.map((property) =>
      names.has(property.name) ? { ...property, computed: true } : property,
    ),
    derived: type.derived.map((derived) => withComputed(derived, names)),
  };
}

interface CsdlTypes {
  /** The elements of the document by qualified name. */
  readonly nodes: ReadonlyMap<string, CsdlNode>;
  structured(name: string): StructuredType;
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

/** The type and its base types, bases first. */
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

/** Properties are read on demand, because types may be recursive. */
function readStructured(name: string, types: CsdlTypes): StructuredType {
  const node = nodeOf(types.nodes.get(name));
  return {
    name,
    label: textOf(node['@Common.Label']) ?? labelOf(simpleName(name)),
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

/** Streams have URLs of their own and are no values in JSON. */
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
    label: textOf(member['@Common.Label']) ?? labelOf(name),
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

/** The facets of a type definition (CSDL JSON 4.01, 11). */
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

/** A JSON object of a CSDL document. */
type CsdlNode = Readonly<Record<string, unknown>>;

function nodeOf(value: unknown): CsdlNode {
  return typeof value === 'object' && value !== null ? (value as CsdlNode) : {};
}

/** The members without control information and annotations (CSDL JSON 4.01, 2.1). */
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
