import type {
  DescribedEntityType,
  DescribedNavigationProperty,
  DescribedStructuralProperty,
} from '../../model/description.ts';
import type { ReferentialConstraint } from '../../model/edm.ts';
import type { FoundRelation } from '../../model/found-relation.ts';
import { meshName } from '../../model/mesh-name.ts';
import { foldedName, freeChoice, pascalCase } from '../../model/names.ts';
import type { OperationParameter } from '../../model/operation.ts';
import {
  type DocumentNode,
  member,
  members,
  nodeAt,
  prose,
  text,
} from '../../openapi/document/document-node.ts';
import { quote, resolve } from '../../openapi/document/document-source.ts';
import { listAnswer } from '../answers/list-answer.ts';
import type { EntityPlan, EntityPlans } from '../edm-types/entity-plan.ts';
import type { NameChoice } from '../names/unique-name.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation } from '../operations/document-operation.ts';
import { calling, listing, type Place } from '../sets/model-operation.ts';
import type { PathNavigation } from './path-navigation.ts';

/** Navigation properties by the identity of the schema whose type has them. */
export type NavigationByOwner = ReadonlyMap<string, readonly NamedNavigation[]>;

/** A navigation property, and its names where another property has the first of them. */
export interface NamedNavigation {
  readonly property: DescribedNavigationProperty;
  readonly names: NameChoice;
  /** A property of the owner's that the related entities are found by, and that nothing else of the type has. */
  readonly alias?: DescribedStructuralProperty | undefined;
}

/** Makes navigation properties of what paths and links say; one that several places have is one property. */
export function navigationProperties(
  paths: readonly PathNavigation[],
  links: readonly LinkNavigation[],
  referring: readonly ReferringNavigation[],
  setOf: ReadonlyMap<string, string>,
): NavigationByOwner {
  const owners = new Set([...paths, ...links, ...referring].map(({ owner }) => owner));
  return new Map(
    [...owners].map((owner) => {
      const properties = new Map<string, NamedNavigation>();
      for (const path of paths.filter((each) => each.owner === owner)) addPath(properties, path, setOf);
      for (const link of links.filter((each) => each.owner === owner)) addLink(properties, link);
      for (const each of referring.filter((one) => one.owner === owner)) addReferring(properties, each);
      return [owner, [...properties.values()]] as const;
    }),
  );
}

function addPath(
  properties: Map<string, NamedNavigation>,
  { names, related, collection, containsTarget, place, at }: PathNavigation,
  setOf: ReadonlyMap<string, string>,
): void {
  const known = properties.get(names[0])?.property;
  const isSame = known?.entityType === related.name && known.collection === collection;
  if (known?.origin.kind === 'path' && isSame) {
    const origin = { kind: 'path', places: [...known.origin.places, place] } as const;
    properties.set(known.name, { property: { ...known, origin }, names });
    return;
  }
  const name = freeChoice(names, properties);
  const property: DescribedNavigationProperty = {
    ...EMPTY,
    name,
    description: prose(member(at.node, 'summary')),
    entityType: related.name,
    collection,
    nullable: !collection,
    containsTarget,
    target: containsTarget ? undefined : setOf.get(related.schema.identity),
    origin: { kind: 'path', places: [place] },
  };
  properties.set(name, { property, names: [name, names.at(-1) ?? name] });
}

function addLink(
  properties: Map<string, NamedNavigation>,
  { names, description, target, collection, origin, constraints, alias, foundBy }: LinkNavigation,
): void {
  const known = properties.get(names[0]);
  const { entityType, target: set, origin: from } = known?.property ?? {};
  const isSame =
    entityType === target.entity.name && set === target.set && known?.property.collection === collection;
  // A path below the entity leads there already: the foreign key says by what.
  if (known !== undefined && from?.kind === 'path' && isSame && constraints.length > 0) {
    properties.set(names[0], { ...known, property: { ...known.property, constraints }, alias });
    return;
  }
  const name = freeChoice(names, properties);
  const property: DescribedNavigationProperty = {
    ...EMPTY,
    name,
    description,
    entityType: target.entity.name,
    collection,
    nullable: !collection,
    target: target.set,
    constraints,
    origin,
    foundBy,
  };
  properties.set(name, { property, names: [name, names.at(-1) ?? name], alias });
}

/** A list below a path that leads to the entities is the better way there. */
function addReferring(
  properties: Map<string, NamedNavigation>,
  { names, related, set, foreignKey }: ReferringNavigation,
): void {
  const isThere = [...properties.values()].some(
    ({ property }) =>
      property.collection && property.entityType === related && property.origin.kind !== 'referring',
  );
  if (isThere) return;
  const name = freeChoice(names, properties);
  const property: DescribedNavigationProperty = {
    ...EMPTY,
    name,
    description: undefined,
    entityType: related,
    collection: true,
    nullable: false,
    target: set,
    origin: { kind: 'referring', foreignKey },
  };
  properties.set(name, { property, names: [name, names.at(-1) ?? name] });
}

const EMPTY: Pick<
  DescribedNavigationProperty,
  'containsTarget' | 'partner' | 'constraints' | 'addReference' | 'removeReference'
> = {
  containsTarget: false,
  partner: undefined,
  constraints: [],
  addReference: undefined,
  removeReference: undefined,
};

/** An entity set as far as links lead to it. */
export interface LinkTarget {
  readonly set: string;
  readonly entity: EntityPlan;
  readonly list: DocumentOperation | undefined;
  readonly read: DocumentOperation | undefined;
}

/** A navigation property to the entities that have a foreign key to the owner. */
export interface ReferringNavigation {
  /** The identity of the schema whose type has it. */
  readonly owner: string;
  readonly names: NameChoice;
  /** The type of the entities, and their set. */
  readonly related: string;
  readonly set: string;
  readonly foreignKey: ReferentialConstraint;
}

/** A navigation property that a response link makes. */
export interface LinkNavigation {
  /** The identity of the schema whose type has it. */
  readonly owner: string;
  /** Its name, and the one that it has where another property has that. */
  readonly names: NameChoice;
  readonly description: string | undefined;
  readonly target: LinkTarget;
  readonly collection: boolean;
  readonly origin: Extract<DescribedNavigationProperty['origin'], { kind: 'link' | 'referring' }>;
  readonly constraints: readonly ReferentialConstraint[];
  readonly alias?: DescribedStructuralProperty | undefined;
  /** See {@link NavigationProperty.foundBy}. */
  readonly foundBy: string;
}

/** The navigation properties that the links of an entity's read make. */
export function findLinkNavigations(
  derivation: Derivation,
  operations: readonly DocumentOperation[],
  targets: readonly LinkTarget[],
): readonly LinkNavigation[] {
  return targets.flatMap((from) =>
    members(member(from.read?.response, 'links')).flatMap(([link, written]) => {
      const node = resolve(derivation.source, written);
      const operation = node && linkedOperation(derivation, operations, node);
      if (node === undefined) return [];
      const target = targets.find(
        ({ list, read }) => operation !== undefined && [list, read].includes(operation),
      );
      const name = pascalCase(link);
      if (operation === undefined || target === undefined || name === undefined) {
        const message = 'The link leads to no entities of a set: it is left out';
        derivation.source.report('info', node.pointer, message);
        return [];
      }
      const parameters = linkParameters(derivation, from, node);
      if (parameters === undefined) return [];
      const collection = target.list === operation;
      const list = collection ? listAnswer(derivation, operation) : undefined;
      return {
        owner: from.entity.schema.identity,
        names: [name, pascalCase(`${name} ${target.set}`) ?? name],
        description: prose(member(node, 'description')),
        target,
        collection,
        origin: {
          kind: 'link',
          name: meshName(link),
          operation:
            list === undefined
              ? calling(derivation, operation, parameters)
              : listing(derivation, list, parameters, target.entity),
        },
        constraints: collection ? [] : constraints(target, parameters),
        foundBy: 'a link of the response',
      };
    }),
  );
}

/** The relations of links by whose values an entity is read by its key. */
export function linkRelations(
  { source }: Derivation,
  plans: EntityPlans,
  links: readonly LinkNavigation[],
): readonly FoundRelation[] {
  return links.flatMap(({ owner, target, constraints: found, foundBy }) => {
    const property = found.at(-1)?.property;
    const entityType = plans.get(owner)?.name;
    if (property === undefined || entityType === undefined) return [];
    return {
      source: source.name,
      schema: owner,
      entityType,
      property,
      written: undefined,
      target: target.set,
      alternatives: [],
      state: 'declared',
      foundBy,
      typedBy: undefined,
      constraints: found,
      alias: undefined,
    };
  });
}

/**
 * The parameters of a link, each with the property of its value; undefined, and a finding, if the value comes
 * from another source.
 */
function linkParameters(
  { source }: Derivation,
  from: LinkTarget,
  node: DocumentNode,
): readonly OperationParameter[] | undefined {
  const filled = members(member(node, 'parameters')).map(([parameter, value]) => ({
    name: meshName(parameter.replace(/^(?:path|query|header|cookie)\./, '')),
    property: sourceProperty(from, text(value) ?? ''),
    value,
  }));
  const unfit = filled.find(({ property }) => property === undefined);
  if (unfit === undefined && filled.length > 0) {
    return filled.flatMap(({ name, property }) => (property === undefined ? [] : [{ name, property }]));
  }
  const message = `The link is left out: ${quote(unfit?.value.value)} is no property`;
  source.report('warning', (unfit?.value ?? node).pointer, message);
  return undefined;
}

function linkedOperation(
  { source }: Derivation,
  operations: readonly DocumentOperation[],
  node: DocumentNode,
): DocumentOperation | undefined {
  const id = text(member(node, 'operationId'));
  if (id !== undefined) return operations.find(({ operationId }) => operationId === id);
  const reference = text(member(node, 'operationRef')) ?? '';
  const pointer = reference.startsWith('#') ? nodeAt(source.root, reference.slice(1))?.pointer : undefined;
  return operations.find((operation) => operation.node.pointer === pointer);
}

/** `$response.body#/userId` is a property, `$request.path.id` the one of the key that fills the parameter. */
function sourceProperty({ entity }: LinkTarget, expression: string): string | undefined {
  const body = /^\$response\.body#\/([^/]+)$/.exec(expression)?.[1];
  const path = /^\$request\.path\.(.+)$/.exec(expression)?.[1];
  const inBody = entity.properties.find(({ upstreamName }) => upstreamName === body);
  return (inBody ?? entity.key.find(({ parameter }) => parameter === path && path !== undefined)?.property)
    ?.name;
}

function constraints(
  { entity }: LinkTarget,
  parameters: readonly OperationParameter[],
): readonly ReferentialConstraint[] {
  return parameters.flatMap(({ name, property }) => {
    const part = entity.key.find(({ parameter }) => parameter !== undefined && meshName(parameter) === name);
    return part === undefined ? [] : [{ property, referencedProperty: part.property.name }];
  });
}

type EntityTypes = ReadonlyMap<string, DescribedEntityType>;

/**
 * Pairs navigation properties that are the two directions of one relationship (CSDL 4.01, 8.3): a list by the
 * entity's key, and the only property of the listed entities with a foreign key of that name; or the only
 * list below an entity's path, if the foreign key has the name of the entity: `Member/Loans` and the member
 * of a loan's `memberId`.
 */
export function withPartners(types: EntityTypes): EntityTypes {
  const partners = new Map<DescribedNavigationProperty, string>();
  for (const kind of ['link', 'path', 'referring'] as const) {
    for (const type of types.values()) {
      for (const many of listsOf(type, kind)) {
        const back = navigationOf(types.get(many.entityType)).filter((one) => leadsBack(type, many, one));
        const [one] = back;
        if (one === undefined || back.length > 1 || partners.has(one)) continue;
        partners.set(many, one.name).set(one, many.name);
      }
    }
  }
  return new Map([...types].map(([name, type]) => [name, withPartnersOf(types, type, partners)]));
}

function navigationOf(type: DescribedEntityType | undefined): readonly DescribedNavigationProperty[] {
  return [...(type?.navigationProperties.values() ?? [])];
}

/** Below one path, several lists of the same type are equivalent. */
function listsOf(
  type: DescribedEntityType,
  kind: 'link' | 'path' | 'referring',
): readonly DescribedNavigationProperty[] {
  const lists = navigationOf(type).filter(({ collection, origin }) => collection && origin.kind === kind);
  if (kind !== 'path') return lists;
  return lists.filter(
    ({ entityType, containsTarget }) =>
      !containsTarget && lists.filter((each) => each.entityType === entityType).length === 1,
  );
}

function leadsBack(
  type: DescribedEntityType,
  many: DescribedNavigationProperty,
  one: DescribedNavigationProperty,
): boolean {
  if (one.collection || one.entityType !== type.name) return false;
  const foreignKeys = new Set(one.constraints.map(({ property }) => foldedName(property)));
  return namesOfKey(type, many).some((name) => foreignKeys.has(foldedName(name)));
}

/** Names of a foreign key to the entity, by the list that is read with its key. */
function namesOfKey(
  { name, key }: DescribedEntityType,
  { origin }: DescribedNavigationProperty,
): readonly string[] {
  switch (origin.kind) {
    case 'embedded':
      return [];
    case 'link':
      return origin.operation.parameters.map((parameter) => parameter.name);
    case 'referring':
      return [origin.foreignKey.property];
    case 'path': {
      const parameters = origin.places.flatMap(({ list }) => list?.parameters ?? []);
      return [...parameters.map((parameter) => parameter.name), ...key.map((part) => `${name} ${part}`)];
    }
  }
}

function withPartnersOf(
  types: EntityTypes,
  type: DescribedEntityType,
  partners: ReadonlyMap<DescribedNavigationProperty, string>,
): DescribedEntityType {
  const properties = [...(type.navigationProperties ?? [])].map(([name, property]) => {
    const partner = partnerOf(types, type, name, partners);
    return [name, partner === undefined ? property : { ...property, partner }] as const;
  });
  return { ...type, navigationProperties: new Map(properties) };
}

/** A derived type has the property of its base as a copy of its own. */
function partnerOf(
  types: EntityTypes,
  type: DescribedEntityType,
  name: string,
  partners: ReadonlyMap<DescribedNavigationProperty, string>,
): string | undefined {
  const property = type.navigationProperties?.get(name);
  const partner = property && partners.get(property);
  const base = type.baseType === undefined ? undefined : types.get(type.baseType);
  return partner ?? (base && property && partnerOf(types, base, name, partners));
}

/** Gives a resource path the names that navigation properties go by. */
type PathNaming = (path: string) => string;

/**
 * Resource paths are made while names are not yet settled: a navigation property may have got another one
 * than the path that it was made of. Types and places, each with the names of the others.
 */
export function withSettledPaths(
  types: ReadonlyMap<string, DescribedEntityType>,
  places: readonly Place[],
): { readonly types: ReadonlyMap<string, DescribedEntityType>; readonly places: readonly Place[] } {
  const settled = pathNaming([...types.values()]);
  return {
    types: new Map([...types].map(([name, type]) => [name, settledType(type, settled)])),
    places: places.map((place) => ({ ...place, resource: settled(place.resource) })),
  };
}

function pathNaming(types: readonly DescribedEntityType[]): PathNaming {
  const names = new Map(
    types
      .flatMap(({ navigationProperties }) => [...navigationProperties.values()])
      .flatMap(({ name, origin }) =>
        origin.kind === 'path' ? origin.places.map(({ path }) => [path, name] as const) : [],
      ),
  );
  return (path) => {
    const written = path.split('/');
    return written.map((name, index) => names.get(written.slice(0, index + 1).join('/')) ?? name).join('/');
  };
}

function settledType(type: DescribedEntityType, settled: PathNaming): DescribedEntityType {
  const properties = [...type.navigationProperties].map(
    ([name, property]) => [name, settledProperty(property, settled)] as const,
  );
  return { ...type, navigationProperties: new Map(properties) };
}

function settledProperty(
  property: DescribedNavigationProperty,
  settled: PathNaming,
): DescribedNavigationProperty {
  const { origin } = property;
  if (origin.kind !== 'path') return property;
  const places = origin.places.map((place) => ({ ...place, path: settled(place.path) }));
  return { ...property, origin: { ...origin, places } };
}
