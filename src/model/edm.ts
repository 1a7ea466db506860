import type {
  AnswerPath,
  ChangesOperation,
  InsertOperation,
  ListOperation,
  Operation,
  OperationParameter,
  PagedListOperation,
  Paging,
  ReferenceOperation,
  SentType,
  UpdateOperation,
} from './operation.ts';
import type { Grants } from './permission.ts';
import type { Facets, JsonType, OpaqueTypeName, PrimitiveType, PrimitiveTypeName } from './type-use.ts';

export type { InsertOperation, Operation } from './operation.ts';
export type { PrimitiveTypeName } from './type-use.ts';

export type ValueType = PrimitiveType | EnumerationType | ComplexType | EntityType;

/** The type of a property, a parameter or a result: a single value or a collection. */
export interface TypeUse {
  readonly type: ValueType;
  /** The type definition in use, if any (CSDL 4.01, 11). */
  readonly definition?: TypeDefinition | undefined;
  readonly collection: boolean;
  /** True if the value, or an item of the collection, may be null. */
  readonly nullable: boolean;
  readonly facets: Facets;
  /**
   * The simple names of entity types whose entities may be nested in a value without a navigation property.
   */
  readonly heldEntities?: readonly string[];
}

/** Texts of the document for people, beside a description. */
export interface Documentation {
  /** `x-odata.ui.label`, else `title`; undefined if the document has neither. */
  readonly label?: string | undefined;
  /** Example values in the upstream's form. */
  readonly examples?: readonly (string | number | boolean)[] | undefined;
  /** The absolute URL of `externalDocs`. */
  readonly documentation?: string | undefined;
}

/** A structural property with everything that the document says about it (CSDL 4.01, 7). */
export interface StructuralProperty extends TypeUse, Documentation {
  readonly name: string;
  /** The name of the property in the upstream's JSON. */
  readonly upstreamName: string;
  /** The upstream names of the enclosing JSON objects, the outermost first; undefined for a direct member. */
  readonly within?: readonly string[];
  /**
   * Part of the key: an alias for the property at this path (CSDL 4.01, 6.5). Rows have its value under this
   * name, which only key predicates use.
   */
  readonly aliasOf?: readonly string[] | undefined;
  /** Set for an alias that is a foreign key, and for no other property: how the JSON at its place has the key. */
  readonly reference?: ReferenceForm | undefined;
  /**
   * The JSON types of a value, or an item, beside null: `number` includes integers, `integer` does not
   * include other numbers. Empty if the document does not restrict them.
   */
  readonly upstreamTypes: readonly JsonType[];
  readonly description: string | undefined;
  /** In the text form of CSDL 4.01, 7.2.7. */
  readonly defaultValue: string | undefined;
  /** Assigned by the upstream, not by clients: `readOnly` in the document. */
  readonly computed: boolean;
  /** Written by clients and never returned: `writeOnly`. */
  readonly writeOnly: boolean;
  /** True if a request body must contain the property, though it may be null or empty. */
  readonly required?: boolean;
  /** Guaranteed by a strict document: present in the upstream's JSON, and not null. */
  readonly promised?: true;
  /**
   * Set for a part of a key, or a property on the path to one, that may be null according to the document.
   */
  readonly sometimesNull?: true;
  /** Not in the upstream's JSON: the value is the argument that the entity was read with. */
  readonly argument?: true;
  /**
   * The gateway makes it of the values of a row without a key: a digest, and the number of equal rows before
   * it. Entities with such a key are transient (Part 1, 4.1): nothing reads or changes them by it.
   */
  readonly isRowKey?: true;
  readonly immutable: boolean;
  readonly deprecated: boolean;
  /** True if `x-odata.ui` keeps it out of lists and forms. */
  readonly hidden?: true;
  /** True if `$search` includes it; undefined if the document does not say. */
  readonly searchable: boolean | undefined;
  readonly mediaType: string | undefined;
}

/**
 * The value within the objects of `within` is the key itself, an object that has the key under the upstream name, or a list
 * of these. With `behind`, a text is a URL, whose path has the key behind these segments.
 */
export interface ReferenceForm {
  readonly behind?: readonly string[] | undefined;
}

export interface NavigationProperty {
  readonly name: string;
  readonly description: string | undefined;
  readonly entityType: EntityType;
  readonly collection: boolean;
  readonly nullable: boolean;
  readonly containsTarget: boolean;
  /** The entity set of the related entities; undefined if they are contained. */
  readonly target: EntitySet | undefined;
  /**
   * Contained entities with grants of their own, from their schema, path or tags; others use the grants of
   * their container.
   */
  readonly contained?: ContainedResource | undefined;
  /** The navigation property of the related type in the other direction. */
  readonly partner: NavigationProperty | undefined;
  readonly constraints: readonly ReferentialConstraint[];
  readonly origin: NavigationOrigin;
  /** For a relation by a key or a link: the part of the document that declares it, for people. */
  readonly foundBy?: string | undefined;
  /** Operations that add or remove a link to a related entity. */
  readonly addReference: ReferenceOperation | undefined;
  readonly removeReference: ReferenceOperation | undefined;
  /** Set in a filtered model: the principal may not view the related entities where they are embedded. */
  readonly unreadable?: boolean;
}

interface ContainedResource {
  /** The containing type and the navigation property: `Book/Reviews`. */
  readonly name: string;
  readonly grants: Grants;
}

/** A property and the related entity's property with the same value (CSDL 4.01, 8.5). */
export interface ReferentialConstraint {
  readonly property: string;
  readonly referencedProperty: string;
}

/** The source of related entities. */
type NavigationOrigin =
  /** Entities in the entity's own JSON, under this name. */
  | {
      readonly kind: 'embedded';
      readonly upstreamName: string;
      readonly within?: readonly string[];
      /** As of a {@link StructuralProperty}. */
      readonly promised?: true;
    }
  /** A response link: the operation's parameters are filled from the entity's properties. */
  | { readonly kind: 'link'; readonly name: string; readonly operation: ListOperation }
  /** A path below the entity's. */
  | { readonly kind: 'path'; readonly places: readonly NavigationPlace[] }
  /** The entities of the target set whose foreign key equals the entity's referenced property, or one of its items. */
  | { readonly kind: 'referring'; readonly foreignKey: ReferentialConstraint };

/** The operations of a navigation property at one path. */
export interface NavigationPlace {
  /** The names in the resource path, without keys: `Order/Items`. */
  readonly path: string;
  readonly list: ListOperation | undefined;
  readonly read: Operation | undefined;
  readonly insert: InsertOperation | undefined;
  readonly update: UpdateOperation | undefined;
  readonly delete: Operation | undefined;
}

/** The property of the upstream's JSON that names the derived type of a value. */
export interface Discriminator {
  readonly upstreamName: string;
  /** The value for this type; undefined if there is no such value. */
  readonly value: string | undefined;
  /** Additional values for this type. */
  readonly otherValues?: readonly string[] | undefined;
}

/** The common members of entity and complex types (CSDL 4.01, 6 and 9). */
export interface StructuredType extends Documentation {
  readonly kind: 'entity' | 'complex';
  readonly namespace: string;
  readonly name: string;
  readonly description: string | undefined;
  /** All properties, including inherited ones. */
  readonly structuralProperties: ReadonlyMap<string, StructuralProperty>;
  /** All navigation properties, including inherited ones. */
  readonly navigationProperties: ReadonlyMap<string, NavigationProperty>;
  readonly base: StructuredType | undefined;
  /** All directly and indirectly derived types, in the model's order. */
  readonly derived: readonly StructuredType[];
  /** The simple names of entity types whose entities may be in undeclared properties. */
  readonly undeclaredEntities?: readonly string[];
  readonly abstract: boolean;
  /** True if values may have undeclared properties. */
  readonly open: boolean;
  readonly discriminator: Discriminator | undefined;
}

export interface ComplexType extends StructuredType {
  readonly kind: 'complex';
  readonly base: ComplexType | undefined;
  readonly derived: readonly ComplexType[];
}

/** The operations on a stream: of a media entity, or of a property of type Edm.Stream. */
export interface StreamOperations {
  readonly get: Operation | undefined;
  readonly put: Operation | undefined;
  readonly delete: Operation | undefined;
  /** Media types or ranges that `put` accepts; undefined if the document does not say. */
  readonly mediaTypes?: readonly string[] | undefined;
  /** The property with the stream's media type. */
  readonly contentType: string | undefined;
  /** The property with the stream's entity tag, in the form of the ETag header or without quotes. */
  readonly etag?: string | undefined;
}

export interface EnumerationMember {
  readonly name: string;
  readonly value: number;
  /** The value in the upstream's JSON; undefined for the member that represents an empty list. */
  readonly upstreamValue: string | number | undefined;
}

/** An enumeration type (CSDL 4.01, 10). */
export interface EnumerationType {
  readonly kind: 'enumeration';
  readonly namespace: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly flags: boolean;
  /** True if the upstream writes flags as a JSON list of members. */
  readonly listed?: boolean;
  readonly members: readonly EnumerationMember[];
}

/** A named primitive type (CSDL 4.01, 11). */
export interface TypeDefinition {
  readonly namespace: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly underlyingType: PrimitiveTypeName | OpaqueTypeName;
  readonly facets: Facets;
}

/**
 * An entity type (CSDL 4.01, 6).
 *
 * A derived type inherits its key; `key` names the inherited properties, too.
 */
export interface EntityType extends StructuredType {
  readonly kind: 'entity';
  readonly base: EntityType | undefined;
  readonly derived: readonly EntityType[];
  /** Names of the key properties, in the order of the key; empty for a singleton's type without a key. */
  readonly key: readonly string[];
  /** The functions and actions bound to its entities or collections of them, without those of base types. */
  readonly boundCallables: readonly Callable[];
  /** Alternate keys, each a list of property names (Core.AlternateKeys). */
  readonly alternateKeys?: readonly (readonly string[])[] | undefined;
  /** The property whose value is the entity's ETag. */
  readonly etag?: string | undefined;
  readonly stream?: StreamOperations | undefined;
  /** The streams of properties of type Edm.Stream. */
  readonly streams?: ReadonlyMap<string, StreamOperations>;
  /** True if the document says that the type is deprecated. */
  readonly deprecated?: boolean;
  readonly presentation?: DeclaredPresentation | undefined;
}

/** The presentation of entities in clients with screens, as far as the document declares it (`x-odata.ui`). Paths are of names in the model. */
export interface DeclaredPresentation {
  /** The label of several entities. */
  readonly plural?: string | undefined;
  /** The path of the property that entities are named by. */
  readonly title?: string | undefined;
  /** The path of the property below the title. */
  readonly description?: string | undefined;
  readonly columns?: readonly string[] | undefined;
  readonly filters?: readonly string[] | undefined;
  /** The paths of the properties of a form, by the label of their group. */
  readonly groups?: ReadonlyMap<string, readonly string[]> | undefined;
  /** The paths of the texts that represent the values of properties, by the properties' names. */
  readonly texts?: ReadonlyMap<string, string> | undefined;
}

export interface EntitySet {
  readonly name: string;
  /** The display name. */
  readonly title?: string | undefined;
  /** A note that the set is incomplete, if a default of the API filters it. */
  readonly description?: string | undefined;
  /** True if the operation that lists it is deprecated. */
  readonly deprecated?: boolean;
  /** The absolute URL of the documentation of the operation that lists it. */
  readonly documentation?: string | undefined;
  readonly entityType: EntityType;
  readonly list: ListOperation | undefined;
  readonly read: Operation | undefined;
  readonly insert: InsertOperation | undefined;
  readonly update?: UpdateOperation | undefined;
  readonly delete?: Operation | undefined;
  /** The operation that lists the set in pages. */
  readonly page?: PagedListOperation | undefined;
  /** Maximum number of entities per response (Part 1, 11.2.6.7); undefined without a limit. */
  readonly pageSize?: number | undefined;
  /** The operation that reports changes since an earlier read. */
  readonly changes?: ChangesOperation | undefined;
  readonly grants: Grants;
}

export interface Singleton {
  readonly name: string;
  readonly title?: string | undefined;
  readonly entityType: EntityType;
  readonly read: Operation;
  readonly update: UpdateOperation | undefined;
  readonly grants: Grants;
}

export interface CallableParameter extends TypeUse {
  readonly name: string;
  /** The name of the parameter in the mesh, or of the property in the upstream's request body. */
  readonly upstreamName: string;
  readonly in: 'path' | 'query' | 'header' | 'body';
  /** The members of its values, if they are objects. */
  readonly sent?: SentType | undefined;
  /** True if a call may omit the parameter (Core.OptionalParameter). */
  readonly optional: boolean;
  /** The value that the API uses if the parameter is omitted. */
  readonly defaultValue: string | undefined;
  readonly description: string | undefined;
}

/** The binding parameter: the entity or collection at the start of the URL. */
export interface Binding {
  readonly entityType: EntityType;
  readonly collection: boolean;
}

/** One overload of a function or an action (CSDL 4.01, 12.1 and 12.3). */
export interface Callable {
  readonly kind: 'function' | 'action';
  readonly namespace: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly longDescription: string | undefined;
  readonly documentation?: string | undefined;
  readonly deprecated: boolean;
  readonly binding: Binding | undefined;
  readonly parameters: readonly CallableParameter[];
  readonly returns: TypeUse | undefined;
  /** The path of the result in the response; undefined if the response is the result. */
  readonly wrappedIn: AnswerPath | undefined;
  /** The paging of a list that a function returns, if documented. */
  readonly paging?: Paging | undefined;
  /** The members of the object around a list that a function returns. */
  readonly envelope?: readonly string[] | undefined;
  /** The operations to call, by the resource that the call is bound to. */
  readonly calls: readonly CallablePlace[];
}

/** An operation of a function or action; its parameters are filled from the key of the bound entity. */
interface CallablePlace {
  /** The names in the resource path of the bound entity, without keys; undefined for any resource. */
  readonly resource: string | undefined;
  readonly operation: Operation;
}

/** An unbound function or action in the container (CSDL 4.01, 13.5 and 13.6). */
export interface CallableImport {
  readonly name: string;
  /** The simple name of the function or action. */
  readonly callable: string;
  readonly kind: Callable['kind'];
  /** The action, or the unbound overloads of the function. */
  readonly overloads: readonly Callable[];
  /** The entity set of the result's entities. */
  readonly entitySet: EntitySet | undefined;
  /** The grants; bound operations use those of the resource at the start of the URL. */
  readonly grants: Grants;
}

/**
 * Whether the type equals or is derived from the other. Compares names, because filtered models have types of
 * their own.
 */
export function isA(type: StructuredType, other: Pick<StructuredType, 'kind' | 'name'>): boolean {
  for (let next: StructuredType | undefined = type; next !== undefined; next = next.base) {
    if (next.name === other.name) return next.kind === other.kind;
  }
  return false;
}

/**
 * The functions and actions bound to the type or its base types, the nearest first: either to single entities
 * or to collections.
 */
export function callablesBoundTo(type: EntityType, to: 'entity' | 'collection'): readonly Callable[] {
  const own = type.boundCallables.filter(({ binding }) => binding?.collection === (to === 'collection'));
  return type.base === undefined ? own : [...own, ...callablesBoundTo(type.base, to)];
}

/** The path of a value in the upstream's JSON: a name, and the enclosing objects, the outermost first. */
export interface UpstreamPlace {
  readonly upstreamName: string;
  readonly within?: readonly string[] | undefined;
}

export function upstreamPath({ upstreamName, within = [] }: UpstreamPlace): AnswerPath {
  return [...within, upstreamName];
}

/** The type and all derived types, bases first. */
export function withDerivedTypes<Type extends StructuredType>(
  type: Type,
): readonly (Type | Type['derived'][number])[] {
  return [type, ...type.derived];
}

/** The type of that simple name among the type and its derived types. */
export function typeNamed<Type extends StructuredType>(
  type: Type,
  name: string,
): Type | Type['derived'][number] | undefined {
  return type.name === name ? type : type.derived.find((each) => each.name === name);
}

/** The first result for the type or its base types, the nearest first. */
export function ofLineage<Found>(
  type: EntityType,
  find: (type: EntityType) => Found | undefined,
): Found | undefined {
  for (let next: EntityType | undefined = type; next !== undefined; next = next.base) {
    const found = find(next);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether entities of a type have no identity (Part 1, 4.1): their key is made of their values. */
export function isTransient({ key, structuralProperties }: EntityType): boolean {
  return key.some((name) => structuralProperties.get(name)?.isRowKey === true);
}

/** Whether rows of the list have null for a property, or for the property of an alias. */
export function isLacking(
  { lacks }: Pick<ListOperation, 'lacks'>,
  { structuralProperties }: StructuredType,
  name: string,
): boolean {
  const [holder = name] = structuralProperties.get(name)?.aliasOf ?? [];
  return lacks?.includes(holder) === true;
}

export function keyProperties({ key, structuralProperties }: EntityType): readonly StructuralProperty[] {
  return key.flatMap((name) => structuralProperties.get(name) ?? []);
}

/** The path of a property in expressions: the target of an alias, else its name. */
export function expressionPath({ name, aliasOf = [name] }: StructuralProperty): readonly string[] {
  return aliasOf;
}

/**
 * A tree of entities of one type, in which a foreign key refers to the parent (Data Aggregation 4.0, 5.5.1).
 */
interface RecursiveHierarchy {
  /** The name of the hierarchy: that of the navigation property to the parent. */
  readonly qualifier: string;
  /** The property that identifies the nodes: the key. */
  readonly node: string;
  /** The property with the parent's key. */
  readonly parent: string;
}

/**
 * The hierarchies of a type: one for each single-valued navigation property to the same type by its whole
 * key.
 */
export function recursiveHierarchies(type: EntityType): readonly RecursiveHierarchy[] {
  const [node, ...others] = type.key;
  if (node === undefined || others.length > 0) return [];
  return [...type.navigationProperties.values()].flatMap((property) => {
    const [constraint, ...more] = property.constraints;
    if (property.collection || property.entityType.name !== type.name || more.length > 0) return [];
    if (constraint?.referencedProperty !== node || constraint.property === node) return [];
    return [{ qualifier: property.name, node, parent: constraint.property }];
  });
}

/**
 * The parameters that a filter must fix for the list to be read; empty if the list can be read through its
 * owners.
 */
export function requiredFilter({
  fixed = [],
  over,
}: Pick<ListOperation, 'fixed' | 'over'>): readonly OperationParameter[] {
  return over === undefined || over.hidden === true ? fixed : [];
}

/** The property that is the entity's ETag, own or inherited (Core.OptimisticConcurrency). */
export function etagProperty(type: EntityType): string | undefined {
  return ofLineage(type, ({ etag }) => etag);
}

/** A nullable property with a type and nothing else. */
export function plainProperty<Type>(
  name: string,
  { type, collection }: { readonly type: Type; readonly collection: boolean },
) {
  return {
    name,
    upstreamName: name,
    upstreamTypes: [],
    type,
    collection,
    nullable: true,
    facets: {},
    description: undefined,
    defaultValue: undefined,
    computed: false,
    writeOnly: false,
    immutable: false,
    deprecated: false,
    searchable: undefined,
    mediaType: undefined,
  };
}

/** A navigation property to entities that are embedded in the JSON of their owner. */
export function embeddedNavigation<Type extends string | EntityType>(
  name: string,
  entityType: Type,
  collection: boolean,
): EmbeddedNavigation<Type> {
  return {
    name,
    description: undefined,
    entityType,
    collection,
    nullable: true,
    containsTarget: false,
    target: undefined,
    partner: undefined,
    constraints: [],
    origin: { kind: 'embedded', upstreamName: name },
    addReference: undefined,
    removeReference: undefined,
  };
}

interface EmbeddedNavigation<Type> extends Omit<NavigationProperty, 'entityType' | 'target' | 'partner'> {
  readonly entityType: Type;
  readonly target: undefined;
  readonly partner: undefined;
}

/** The properties that reads return, in the model's order. */
export function readableProperties(type: StructuredType): ReadonlyMap<string, StructuralProperty> {
  return new Map([...type.structuralProperties].filter(([, property]) => isReadable(property)));
}

/**
 * Write-only properties are never read, streams and entities are read by other operations, and aliases are
 * for keys only.
 */
export function isReadable({ type, writeOnly, aliasOf }: StructuralProperty): boolean {
  return !writeOnly && aliasOf === undefined && type.kind !== 'entity' && type.name !== 'Edm.Stream';
}

/** The type of a single primitive value that query options can compare, else undefined. */
export function comparableType(property: StructuralProperty | undefined): PrimitiveTypeName | undefined {
  if (property === undefined || property.collection || !isReadable(property)) return undefined;
  const { type } = property;
  return type.kind === 'primitive' && isComparable(type.name) ? type.name : undefined;
}

export function isComparable(name: PrimitiveTypeName | OpaqueTypeName): name is PrimitiveTypeName {
  return name !== 'Edm.Stream' && name !== 'Edm.Untyped' && !name.startsWith('Edm.Geography');
}
