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

/** The type of a single value. */
export type ValueType = PrimitiveType | EnumerationType | ComplexType | EntityType;

/** What a property, a parameter or a result holds: one value of a type, or a collection of them. */
export interface TypeUse {
  readonly type: ValueType;
  /** The type definition that stands for the primitive type (CSDL 4.01, 11). */
  readonly definition?: TypeDefinition | undefined;
  readonly collection: boolean;
  /** Whether the value, or an item of the collection, may be null. */
  readonly nullable: boolean;
  readonly facets: Facets;
  /** The simple names of the types whose entities may be in a value although no navigation property leads there. */
  readonly heldEntities?: readonly string[];
}

/** A structural property with everything the document says of it (CSDL 4.01, 7). */
export interface StructuralProperty extends TypeUse {
  readonly name: string;
  /** The property's name in the upstream's JSON. */
  readonly upstreamName: string;
  /** Upstream names of the objects within the JSON that hold it, the outermost first; none where it stands in that itself. */
  readonly within?: readonly string[];
  /**
   * It is a part of the key, and stands for the property at that path (CSDL 4.01, 6.5): rows have its value under
   * this name, which is an alias for key predicates and no property that anybody sees.
   */
  readonly aliasOf?: readonly string[] | undefined;
  /**
   * What a value, or an item of a collection, is in the upstream's JSON beside null: `number` for numbers
   * and integers, `integer` for these alone. None where the document does not say.
   */
  readonly upstreamTypes: readonly JsonType[];
  readonly description: string | undefined;
  /** In the text form of CSDL 4.01, 7.2.7. */
  readonly defaultValue: string | undefined;
  /** The upstream gives the value, a client cannot: `readOnly` in the document. */
  readonly computed: boolean;
  /** A client gives the value and never sees it again: `writeOnly`. No read has it. */
  readonly writeOnly: boolean;
  /** The upstream's JSON has to have it, though it may be null or empty. */
  readonly required?: boolean;
  /** A strict document promises it: the upstream's JSON has it, and it is not null. */
  readonly promised?: true;
  /** Set for a part of a key, or what is on the path to one, that may be null by the document. */
  readonly sometimesNull?: true;
  /** No JSON of the upstream's has it: its value is the parameter that the entity was read by. */
  readonly argument?: true;
  /** Set at creation and not changed afterwards. */
  readonly immutable: boolean;
  readonly deprecated: boolean;
  /** Whether `$search` looks into it; undefined where the document is silent. */
  readonly searchable: boolean | undefined;
  readonly mediaType: string | undefined;
}

/** A property that leads to other entities (CSDL 4.01, 8). */
export interface NavigationProperty {
  readonly name: string;
  readonly description: string | undefined;
  /** The related entities' type. */
  readonly entityType: EntityType;
  readonly collection: boolean;
  readonly nullable: boolean;
  readonly containsTarget: boolean;
  /** The entity set that the related entities are in; undefined where they are contained. */
  readonly target: EntitySet | undefined;
  /** Contained entities whose schema, path or tags say who may use them; others go by whatever contains them. */
  readonly contained?: ContainedResource | undefined;
  /** The navigation property of the related type that leads back. */
  readonly partner: NavigationProperty | undefined;
  readonly constraints: readonly ReferentialConstraint[];
  readonly origin: NavigationOrigin;
  /** Operations that add a link to a related entity, or take it away. */
  readonly addReference: ReferenceOperation | undefined;
  readonly removeReference: ReferenceOperation | undefined;
  /** In somebody's part of a model: he may not view the entities, where they come with others. */
  readonly unreadable?: boolean;
}

/** Contained entities as a resource with grants of their own. */
interface ContainedResource {
  /** The type that contains them, and the navigation property: `Book/Reviews`. */
  readonly name: string;
  readonly grants: Grants;
}

/** A property, and the property of the related entity that has the same value (CSDL 4.01, 8.5). */
export interface ReferentialConstraint {
  readonly property: string;
  readonly referencedProperty: string;
}

/** Where related entities come from. */
type NavigationOrigin =
  /** Entities in the entity's own JSON, under that name. */
  | {
      readonly kind: 'embedded';
      readonly upstreamName: string;
      readonly within?: readonly string[];
      /** As of a {@link StructuralProperty}. */
      readonly promised?: true;
    }
  /** A response link: the operation's parameters are filled with the entity's properties. */
  | { readonly kind: 'link'; readonly name: string; readonly operation: ListOperation }
  /** A path below the entity's. */
  | { readonly kind: 'path'; readonly places: readonly NavigationPlace[] }
  /** The entities of the target set whose foreign key has the value of the entity's referenced property. */
  | { readonly kind: 'referring'; readonly foreignKey: ReferentialConstraint };

/** The operations of a navigation property at one of the places where its type is. */
export interface NavigationPlace {
  /** The names in the resource path, without keys: `Order/Items`. */
  readonly path: string;
  readonly list: ListOperation | undefined;
  readonly read: Operation | undefined;
  readonly insert: InsertOperation | undefined;
  readonly update: UpdateOperation | undefined;
  readonly delete: Operation | undefined;
}

/** How the upstream's JSON tells that a value is of a derived type. */
export interface Discriminator {
  /** The upstream's name of the property. */
  readonly upstreamName: string;
  /** The value that stands for this type; undefined where no value does. */
  readonly value: string | undefined;
  /** Further values that stand for it, too. */
  readonly otherValues?: readonly string[] | undefined;
}

/** What entity and complex types have in common (CSDL 4.01, 6 and 9). */
export interface StructuredType {
  readonly kind: 'entity' | 'complex';
  readonly namespace: string;
  readonly name: string;
  readonly description: string | undefined;
  /** All properties with their full types, inherited ones included. */
  readonly structuralProperties: ReadonlyMap<string, StructuralProperty>;
  /** All navigation properties, inherited ones included. */
  readonly navigationProperties: ReadonlyMap<string, NavigationProperty>;
  /** The type that this one is derived from. */
  readonly base: StructuredType | undefined;
  /** The types that are derived from this one over any number of steps, in the model's order. */
  readonly derived: readonly StructuredType[];
  /** The simple names of the types whose entities may be in properties that are not declared. */
  readonly undeclaredEntities?: readonly string[];
  readonly abstract: boolean;
  /** Values may have properties that are not declared. */
  readonly open: boolean;
  readonly discriminator: Discriminator | undefined;
}

/** A complex type (CSDL 4.01, 9). */
export interface ComplexType extends StructuredType {
  readonly kind: 'complex';
  readonly base: ComplexType | undefined;
  readonly derived: readonly ComplexType[];
}

/** A stream that belongs to an entity: its own (a media entity), or a property of type Edm.Stream. */
export interface StreamOperations {
  readonly get: Operation | undefined;
  readonly put: Operation | undefined;
  readonly delete: Operation | undefined;
  /** Media types, or ranges of them, that `put` takes; undefined where the document does not say. */
  readonly mediaTypes?: readonly string[] | undefined;
  /** The property that holds the stream's media type. */
  readonly contentType: string | undefined;
  /** The property that holds the stream's entity tag, as a read of the stream has it in its header, or without quotes. */
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
  /** The upstream writes flags as a JSON list of members. */
  readonly listed?: boolean;
  readonly members: readonly EnumerationMember[];
}

/** A primitive type under a name of its own (CSDL 4.01, 11). */
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
 * Types derived from another have no key of their own where that one has the key: `key` names the
 * key's properties all the same.
 */
export interface EntityType extends StructuredType {
  readonly kind: 'entity';
  readonly base: EntityType | undefined;
  readonly derived: readonly EntityType[];
  /** Names of the key's properties, in the order of the key; none for the type of a singleton without one. */
  readonly key: readonly string[];
  /** The functions and actions that are bound to its entities, or to collections of them; not those of base types. */
  readonly boundCallables: readonly Callable[];
  /** Further keys, each the names of its properties (Core.AlternateKeys). */
  readonly alternateKeys?: readonly (readonly string[])[] | undefined;
  /** The property whose value is the entity's ETag. */
  readonly etag?: string | undefined;
  /** A media entity's stream. */
  readonly stream?: StreamOperations | undefined;
  /** The streams of the properties of type Edm.Stream. */
  readonly streams?: ReadonlyMap<string, StreamOperations>;
}

export interface EntitySet {
  readonly name: string;
  /** What people call it. */
  readonly title?: string | undefined;
  /** The part of all entities that it has, where a default of the API leaves others out. */
  readonly description?: string | undefined;
  readonly entityType: EntityType;
  readonly list: ListOperation | undefined;
  readonly read: Operation | undefined;
  readonly insert: InsertOperation | undefined;
  readonly update?: UpdateOperation | undefined;
  readonly delete?: Operation | undefined;
  /** The operation that lists the set in pages. */
  readonly page?: PagedListOperation | undefined;
  /** The most entities that an answer has (Part 1, 11.2.6.7); undefined where an answer has them all. */
  readonly pageSize?: number | undefined;
  /** Tells what has changed since an earlier read. */
  readonly changes?: ChangesOperation | undefined;
  readonly grants: Grants;
}

/** A single entity with a name (CSDL 4.01, 13.3). */
export interface Singleton {
  readonly name: string;
  readonly title?: string | undefined;
  readonly entityType: EntityType;
  readonly read: Operation;
  readonly update: UpdateOperation | undefined;
  readonly grants: Grants;
}

/** A parameter of a function or an action (CSDL 4.01, 12.9). */
export interface CallableParameter extends TypeUse {
  readonly name: string;
  /** The parameter's name in the mesh, or the property's in the upstream's request body. */
  readonly upstreamName: string;
  readonly in: 'path' | 'query' | 'header' | 'body';
  /** What its objects have, where they are such. */
  readonly sent?: SentType | undefined;
  /** Whether the parameter may be left out of a call (Core.OptionalParameter). */
  readonly optional: boolean;
  /** What goes for the parameter where it is left out. */
  readonly defaultValue: string | undefined;
  readonly description: string | undefined;
}

/** What a function or action is bound to: the entity, or the whole collection, that its URL begins with. */
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
  readonly deprecated: boolean;
  readonly binding: Binding | undefined;
  readonly parameters: readonly CallableParameter[];
  readonly returns: TypeUse | undefined;
  /** Where the answer holds the result; undefined where the answer is that itself. */
  readonly wrappedIn: AnswerPath | undefined;
  /** How the pages of the list that a function returns are asked for, where the document tells of pages. */
  readonly paging?: Paging | undefined;
  /** Of a function that returns a list within an object: the members of the object. */
  readonly envelope?: readonly string[] | undefined;
  /** What is called, by the place of what it is bound to. */
  readonly calls: readonly CallablePlace[];
}

/** An operation that a function or action calls; its parameters are those that the bound entity's key fills. */
interface CallablePlace {
  /** The names in the resource path of the bound entity, without keys; undefined where it may be any. */
  readonly resource: string | undefined;
  readonly operation: Operation;
}

/** An unbound function or action in the container (CSDL 4.01, 13.5 and 13.6). */
export interface CallableImport {
  readonly name: string;
  /** The simple name of the function or action. */
  readonly callable: string;
  readonly kind: Callable['kind'];
  /** What the name stands for: the action, or the unbound overloads of the function. */
  readonly overloads: readonly Callable[];
  /** The entity set that the entities of the result are in. */
  readonly entitySet: EntitySet | undefined;
  /** Who may call it. What is bound goes by the grants of the resource that its URL begins with. */
  readonly grants: Grants;
}

/**
 * Whether the type is the other one, or derived from it. Parts of a model, for different people, have types of the
 * same names.
 */
export function isA(type: StructuredType, other: Pick<StructuredType, 'kind' | 'name'>): boolean {
  for (let next: StructuredType | undefined = type; next !== undefined; next = next.base) {
    if (next.name === other.name) return next.kind === other.kind;
  }
  return false;
}

/**
 * The functions and actions that are bound to the type, or to one that it is derived from: the nearest first. Either
 * those that are bound to single entities, or those that are bound to collections of them.
 */
export function callablesBoundTo(type: EntityType, to: 'entity' | 'collection'): readonly Callable[] {
  const own = type.boundCallables.filter(({ binding }) => binding?.collection === (to === 'collection'));
  return type.base === undefined ? own : [...own, ...callablesBoundTo(type.base, to)];
}

/** Where the upstream's JSON has a value: under a name, in the objects under other names, the outermost first. */
export interface UpstreamPlace {
  readonly upstreamName: string;
  readonly within?: readonly string[] | undefined;
}

export function upstreamPath({ upstreamName, within = [] }: UpstreamPlace): AnswerPath {
  return [...within, upstreamName];
}

/** The type and all that are derived from it, bases first. */
export function withDerivedTypes<Type extends StructuredType>(
  type: Type,
): readonly (Type | Type['derived'][number])[] {
  return [type, ...type.derived];
}

/** The type of that simple name among the type and those that are derived from it. */
export function typeNamed<Type extends StructuredType>(
  type: Type,
  name: string,
): Type | Type['derived'][number] | undefined {
  return type.name === name ? type : type.derived.find((each) => each.name === name);
}

/** What the type, or else the nearest of those that it is derived from, has. */
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

/** The properties of the key, in its order. */
export function keyProperties({ key, structuralProperties }: EntityType): readonly StructuralProperty[] {
  return key.flatMap((name) => structuralProperties.get(name) ?? []);
}

/** The path of a property for expressions: what an alias stands for, or else its name. */
export function expressionPath({ name, aliasOf = [name] }: StructuralProperty): readonly string[] {
  return aliasOf;
}

/** A tree of entities of one type, in which each says by a foreign key which one it is below (Data Aggregation 4.0, 5.5.1). */
interface RecursiveHierarchy {
  /** The name of the hierarchy: that of the navigation property that leads to the parent. */
  readonly qualifier: string;
  /** The property that tells the nodes apart: the key. */
  readonly node: string;
  /** The property that holds the parent's key. */
  readonly parent: string;
}

/** The hierarchies of a type: one for each navigation property to one entity of the same type by its whole key. */
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

/** What a caller's filter must fix of a list: it can be read without one where it is read from its owners. */
export function requiredFilter({
  fixed = [],
  over,
}: Pick<ListOperation, 'fixed' | 'over'>): readonly OperationParameter[] {
  return over === undefined || over.hidden === true ? fixed : [];
}

/** The property whose value tells the states of an entity apart (Core.OptimisticConcurrency), inherited or not. */
export function etagProperty(type: EntityType): string | undefined {
  return ofLineage(type, ({ etag }) => etag);
}

/** A property that may be null and of which nothing is known but its type. */
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

/** A property that leads to entities which stand in the JSON of the one that has it. */
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

/** The properties that reads have, in the model's order: of any type, one value or a collection. */
export function readableProperties(type: StructuredType): ReadonlyMap<string, StructuralProperty> {
  return new Map([...type.structuralProperties].filter(([, property]) => isReadable(property)));
}

/** Write-only properties are never read; streams and entities are read elsewhere; an alias is for keys alone. */
export function isReadable({ type, writeOnly, aliasOf }: StructuralProperty): boolean {
  return !writeOnly && aliasOf === undefined && type.kind !== 'entity' && type.name !== 'Edm.Stream';
}

/** The type of a property that holds one primitive value which query options can compare, else undefined. */
export function comparableType(property: StructuralProperty | undefined): PrimitiveTypeName | undefined {
  if (property === undefined || property.collection || !isReadable(property)) return undefined;
  const { type } = property;
  return type.kind === 'primitive' && isComparable(type.name) ? type.name : undefined;
}

/** Whether single values of the type can be compared with each other. */
export function isComparable(name: PrimitiveTypeName | OpaqueTypeName): name is PrimitiveTypeName {
  return name !== 'Edm.Stream' && name !== 'Edm.Untyped' && !name.startsWith('Edm.Geography');
}
