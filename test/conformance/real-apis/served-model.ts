type Json = Readonly<Record<string, unknown>>;

/** A collection of entities in `$metadata`. */
export interface ServedTable {
  /** Of the entity set, or of the navigation property below it. */
  readonly name: string;
  /** The table that holds the entity which it lies below; undefined for an entity set. */
  readonly parent: ServedTable | undefined;
  /** True for entities of another set that are related to their owner (CSDL JSON 4.01, 8.5). */
  readonly isRelated: boolean;
  /** True if all entities can be read together (Capabilities.ReadRestrictions, Readable). */
  readonly isListed: boolean;
  readonly key: readonly KeyProperty[];
  /** Properties that `$filter` has to fix (Capabilities.FilterRestrictions, RequiredProperties). */
  readonly required: readonly TypedProperty[];
}

/** A property that `$filter` can name. */
export interface TypedProperty {
  readonly path: string;
  /** Of a primitive type `Edm.…`; of an enumeration type its members. */
  readonly type: string | readonly string[];
}

/** A part of a key (CSDL JSON 4.01, 6.5): the path leads to its value, and the alias names it. */
export interface KeyProperty extends TypedProperty {
  readonly alias: string;
}

/** The tables and names in `$metadata`. */
export interface ServedModel {
  readonly tables: readonly ServedTable[];
  /** Names that the gateway made and that stand beside each other: in the container, a schema, a type. */
  readonly scopes: ReadonlyMap<string, readonly string[]>;
}

/** Contained entities are followed as deep as this. */
const NAVIGATION_DEPTH = 3;

/** Reads CSDL JSON. */
export function readServedModel(csdl: Json): ServedModel {
  const types = typesOf(csdl);
  const [containerNamespace = '', containerName = ''] = String(csdl['$EntityContainer']).split(
    /\.(?=[^.]*$)/,
  );
  const container = at(at(csdl, containerNamespace), containerName);
  const sets = namesOf(container).filter((name) => at(container, name)['$Collection'] === true);
  const tables = sets.flatMap((name) => {
    const set = at(container, name);
    return tablesFrom(types, { name, typeName: String(set['$Type']), isRelated: false }, undefined, set);
  });
  const scopes = new Map<string, readonly string[]>([['container', namesOf(container)]]);
  for (const [name, type] of types) scopes.set(name, isStructured(type) ? namesOf(type) : []);
  for (const namespace of namesOf(csdl)) scopes.set(namespace, namesOf(at(csdl, namespace)));
  return { tables, scopes };
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function at(node: Json, name: string): Json {
  const value = node[name];
  return isJson(value) ? value : {};
}

/** The members of an enumeration are the document's own. */
function isStructured(type: Json): boolean {
  return type['$Kind'] === 'EntityType' || type['$Kind'] === 'ComplexType';
}

/** Names of elements, without annotations and keywords of CSDL. */
function namesOf(node: Json): readonly string[] {
  return Object.keys(node).filter((name) => !/[@$]/.test(name));
}

type Types = ReadonlyMap<string, Json>;

/** The types and operations of all schemas by their qualified names. */
function typesOf(csdl: Json): Types {
  return new Map(
    namesOf(csdl).flatMap((namespace) => {
      const schema = at(csdl, namespace);
      return namesOf(schema).map((name) => [`${namespace}.${name}`, at(schema, name)] as const);
    }),
  );
}

interface NamedTable extends Pick<ServedTable, 'name' | 'isRelated'> {
  readonly typeName: string;
}

function tablesFrom(
  types: Types,
  { name, typeName, isRelated }: NamedTable,
  parent: ServedTable | undefined,
  annotated: Json,
): readonly ServedTable[] {
  const type = inherited(types, typeName);
  const required = requiredPaths(annotated).map((path) => ({ path, type: typeAt(types, type, path) }));
  const isListed = restrictions(annotated, 'ReadRestrictions')['Readable'] !== false;
  const table: ServedTable = { name, parent, isRelated, isListed, key: keyOf(types, type), required };
  if (depthOf(table) > NAVIGATION_DEPTH) return [table];
  const properties = namesOf(type).map((property) => [property, at(type, property)] as const);
  const related = properties.filter(([, property]) => {
    // Entities that refer back to their owner are those of a set, which is read by itself.
    const isTable =
      property['$Kind'] === 'NavigationProperty' &&
      property['$Collection'] === true &&
      property['$Partner'] === undefined;
    // What is not contained is in a set of its own, and is not followed further.
    return isTable && (parent === undefined || property['$ContainsTarget'] === true);
  });
  return [
    table,
    ...related.flatMap(([property, { $Type, $ContainsTarget }]) => {
      const named = { name: property, typeName: String($Type), isRelated: $ContainsTarget !== true };
      const inner = tablesFrom(types, named, table, restrictionsFor(annotated, property));
      return $ContainsTarget === true ? inner : inner.slice(0, 1);
    }),
  ];
}

function depthOf({ parent }: ServedTable): number {
  return parent === undefined ? 1 : 1 + depthOf(parent);
}

/** An entity type with what it has from its base types. */
function inherited(types: Types, name: string): Json {
  const type = types.get(name) ?? {};
  const base = type['$BaseType'];
  return typeof base === 'string' ? { ...inherited(types, base), ...type } : type;
}

function keyOf(types: Types, type: Json): readonly KeyProperty[] {
  const key = Array.isArray(type['$Key']) ? type['$Key'] : [];
  return key
    .flatMap((part): readonly (readonly [string, unknown])[] =>
      isJson(part) ? Object.entries(part) : [[part, part]],
    )
    .map(([alias, path]) => ({ alias, path: String(path), type: typeAt(types, type, String(path)) }));
}

function typeAt(types: Types, type: Json, path: string): string | readonly string[] {
  const [name = '', ...rest] = path.split('/');
  const property = at(type, name);
  const typeName = String(property['$Type'] ?? 'Edm.String');
  const allowed = property['@Validation.AllowedValues'];
  if (Array.isArray(allowed) && typeName === 'Edm.String') {
    return allowed.filter(isJson).map(({ Value }) => String(Value));
  }
  const inner = types.get(typeName) ?? {};
  if (rest.length > 0) return typeAt(types, inherited(types, typeName), rest.join('/'));
  if (inner['$Kind'] === 'EnumType') return namesOf(inner);
  return inner['$Kind'] === 'TypeDefinition' ? String(inner['$UnderlyingType']) : typeName;
}

/** The value of a term of the vocabulary Capabilities, with any alias. */
function restrictions(annotated: Json, term: string): Json {
  const name = Object.keys(annotated).find((word) => word.startsWith('@') && word.endsWith(`.${term}`));
  return name === undefined ? {} : at(annotated, name);
}

function requiredPaths(annotated: Json): readonly string[] {
  const paths = restrictions(annotated, 'FilterRestrictions')['RequiredProperties'];
  return Array.isArray(paths) ? paths.map(String) : [];
}

/** The value of `Capabilities.NavigationRestrictions` for one navigation property. */
function restrictionsFor(annotated: Json, property: string): Json {
  const restricted = restrictions(annotated, 'NavigationRestrictions')['RestrictedProperties'];
  const found = Array.isArray(restricted)
    ? restricted.filter(isJson).find((one) => one['NavigationProperty'] === property)
    : undefined;
  return Object.fromEntries(
    Object.entries(found ?? {}).map(([term, said]) => [`@Capabilities.${term}`, said]),
  );
}
