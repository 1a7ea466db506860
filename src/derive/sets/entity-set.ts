import type {
  DescribedEntitySet,
  DescribedEntityType,
  DescribedStructuralProperty,
} from '../../model/description.ts';
import { plainProperty, type StreamOperations } from '../../model/edm.ts';
import { meshName } from '../../model/mesh-name.ts';
import { foldedName, isModelName, isResourceName, pluralOf } from '../../model/names.ts';
import type {
  ChangesOperation,
  GivenParameter,
  ListOperation,
  Operation,
  OperationParameter,
  PagedListOperation,
} from '../../model/operation.ts';
import {
  type DocumentNode,
  isTrue,
  items,
  member,
  members,
  text,
} from '../../openapi/document/document-node.ts';
import { quote } from '../../openapi/document/document-source.ts';
import {
  isMediaSchema,
  ownKeyword,
  ownSetting,
  type Schema,
  schemaProperties,
  setting,
} from '../../openapi/schemas/schema.ts';
import { answerSchema, isCallable, listAnswer } from '../answers/list-answer.ts';
import { givenParameter } from '../answers/page-words.ts';
import { furtherDocumentation } from '../edm-types/documentation.ts';
import type { EntityPlan } from '../edm-types/entity-plan.ts';
import { partNamed } from '../names/part-named.ts';
import type { NameChoice } from '../names/unique-name.ts';
import type { Derivation } from '../operations/derivation.ts';
import {
  type DocumentOperation,
  type DocumentParameter,
  type PathSegment,
  pathParameters,
} from '../operations/document-operation.ts';
import { takenMedia } from '../operations/request-body.ts';
import type { EntitySetPlan } from './entity-set-plan.ts';
import { fixedParameters } from './filtered-set-plan.ts';
import { schemaGrants } from './grants.ts';
import {
  calling,
  changing,
  entityPlace,
  fillParameters,
  insertion,
  listedPlace,
  listing,
  type Place,
  placeInList,
  reading,
} from './model-operation.ts';
import { pathNames } from './set-name.ts';

/**
 * Names for an entity set: `x-odata.entitySet`, else the type's where its path says the same, else the words of the
 * path.
 */
export function entitySetNames(
  { source, pathPrefix }: Derivation,
  schema: Schema,
  segments: readonly PathSegment[],
  typeName: string | undefined,
): NameChoice {
  const declared = ownSetting(schema, 'entitySet');
  const name = text(declared);
  const isName = name !== undefined && isResourceName(name);
  if (declared !== undefined && !isName) {
    source.report('error', declared.pointer, `${quote(declared.value)} cannot be the name of an entity set`);
  }
  const isPlural = text(member(member(source.root, 'x-odata'), 'setNames')) === 'plural';
  const names = pathNames(segments, pathPrefix, typeName);
  const [first = typeName ?? 'Entities', ...others] = isPlural ? names.map(pluralOf) : names;
  return isName ? [name, first, ...others] : [first, ...others];
}

export function entitySet(
  named: NamedOperations,
  draft: SetDraft,
  entityType: DescribedEntityType,
): DescribedEntitySet {
  const { derivation } = named;
  const { plan, entity, name } = draft;
  const place =
    plan.read === undefined
      ? plan.list && placeInList(name, entity, plan.list.operation)
      : entityPlace(name, entity, plan.read, undefined);
  const parametersOf = (operation: DocumentOperation) => (place && fillParameters(place, operation)) ?? [];
  const list = plan.list && listing(derivation, plan.list, [], entity, draft);
  const description = standingDefaults(list);
  const page = pagedList(named, entity, name);
  if (list !== undefined && plan.list !== undefined && page === undefined)
    reportUnnarrowed(derivation, plan.list.operation, list);
  return {
    name,
    title: text(ownKeyword(plan.schema, 'title')),
    ...(description !== undefined && { description }),
    ...(isTrue(member(plan.list?.operation.node, 'deprecated')) && { deprecated: true }),
    ...furtherDocumentation(member(plan.list?.operation.node, 'externalDocs')),
    entityType,
    list,
    read: plan.read && reading(derivation, plan.read, plan.schema, parametersOf(plan.read)),
    insert:
      plan.insert &&
      insertion(derivation, plan.insert, entity, [], fixedParameters(plan.insert, draft.fixed ?? [])),
    update: plan.change && changing(derivation, plan.change, entity, parametersOf),
    delete: plan.delete && calling(derivation, plan.delete, parametersOf(plan.delete)),
    page,
    changes: changesOperation(named, plan.schema),
    pageSize: pageSize(plan.schema),
    grants: schemaGrants(plan.schema),
  };
}

/** Reports a list in pages that no parameter narrows or sorts. */
function reportUnnarrowed(
  { source }: Derivation,
  { node }: DocumentOperation,
  { paging, narrowing, sorting, fixed, literal }: ListOperation,
): void {
  const isInPages = paging?.tells.next === true || paging?.ways.some(({ kind }) => kind !== 'cursor');
  if (
    isInPages !== true ||
    literal === true ||
    narrowing !== undefined ||
    sorting !== undefined ||
    fixed !== undefined
  )
    return;
  const message =
    'No parameter narrows or sorts this list in pages: conditions on anything but its key, and orders, read all of it';
  source.report('warning', node.pointer, message, 'list-without-filters');
}

/** A sentence about the defaults of the API that are in force for the list; undefined without any. */
function standingDefaults(list: ListOperation | undefined): string | undefined {
  const standing = (list?.defaults ?? []).flatMap(({ name, standing: value }) =>
    value === undefined ? [] : `${name} is ${value}`,
  );
  if (standing.length === 0) return undefined;
  return `The API leaves out entities by its default: ${standing.join(', ')}.`;
}

/** `x-odata.pageSize`; what is no number has been reported. */
function pageSize(schema: Schema): number | undefined {
  const size = setting(schema, 'pageSize')?.value;
  return typeof size === 'number' && Number.isSafeInteger(size) && size > 0 ? size : undefined;
}

/** Looks up operations that `x-odata` names by id. */
export interface NamedOperations {
  readonly derivation: Derivation;
  readonly operations: readonly DocumentOperation[];
  readonly used: Set<DocumentOperation>;
  /** The operations that say of which entity set they are the list in pages (`x-odata.pageOf`), by its name. */
  readonly pages: ReadonlyMap<string, DocumentOperation>;
}

/** The first operation for each name. */
export function pagesBySet(operations: readonly DocumentOperation[]): ReadonlyMap<string, DocumentOperation> {
  const named = operations.flatMap((operation) => {
    const set = text(member(member(operation.node, 'x-odata'), 'pageOf'));
    return set === undefined ? [] : [[set, operation] as const];
  });
  return new Map(named.toReversed());
}

function operationNamed(
  named: NamedOperations,
  node: DocumentNode | undefined,
): DocumentOperation | undefined {
  if (node === undefined) return undefined;
  const id = text(node);
  const operation = named.operations.find(({ operationId }) => operationId === id);
  if (operation === undefined) {
    named.derivation.source.report('error', node.pointer, `No operation has the id ${quote(node.value)}`);
    return undefined;
  }
  named.used.add(operation);
  return operation;
}

/**
 * The `x-odata` settings of an entity type apart from its properties: ETag, media stream, stream properties.
 */
export function entitySettings(
  named: NamedOperations,
  plan: EntityPlan,
): Pick<DescribedEntityType, 'alternateKeys' | 'etag' | 'stream' | 'streams'> {
  const { schema } = plan;
  const stream = setting(schema, 'stream');
  const streams = items(setting(schema, 'streams')).flatMap((node) => {
    const name = text(member(node, 'name'));
    return name !== undefined && isModelName(name)
      ? [[name, streamOperations(named, plan, node)] as const]
      : [];
  });
  return {
    alternateKeys: alternateKeys(named.derivation, plan),
    etag: propertyNamed(named.derivation, plan, setting(schema, 'etag')),
    stream: isMediaSchema(schema) ? streamOperations(named, plan, stream) : undefined,
    streams: new Map(streams),
  };
}

/** `x-odata.alternateKeys`, if any. Unknown properties have been reported. */
function alternateKeys(derivation: Derivation, plan: EntityPlan): DescribedEntityType['alternateKeys'] {
  const keys = items(setting(plan.schema, 'alternateKeys')).map((node) =>
    items(node).map((part) => propertyNamed(derivation, plan, part)),
  );
  const whole = keys.flatMap((parts) => {
    const names = parts.filter((name) => name !== undefined);
    return names.length > 0 && names.length === parts.length ? [names] : [];
  });
  return whole.length > 0 ? whole : undefined;
}

function streamOperations(
  named: NamedOperations,
  plan: EntityPlan,
  node: DocumentNode | undefined,
): StreamOperations {
  const { derivation } = named;
  const found = (method: string) => operationNamed(named, member(node, method));
  const called = (operation: DocumentOperation | undefined): Operation | undefined => {
    const parameters = operation && streamParameters(derivation, operation, plan);
    return operation && parameters && calling(derivation, operation, parameters);
  };
  const put = found('put');
  return {
    get: called(found('get')),
    put: called(put),
    delete: called(found('delete')),
    mediaTypes: put && takenMedia(derivation, put),
    contentType: propertyNamed(derivation, plan, member(node, 'contentType')),
    etag: propertyNamed(derivation, plan, member(node, 'etag')),
  };
}

/** The key fills the path: by the names that the read of the entity has, or by those of the properties. */
function streamParameters(
  { source }: Derivation,
  operation: DocumentOperation,
  { key, name }: EntityPlan,
): readonly OperationParameter[] | undefined {
  const filled = pathParameters(operation).map((wanted): OperationParameter | undefined => {
    const part =
      key.find(({ parameter }) => parameter === wanted.name) ??
      key.find(({ property }) => foldedName(property.upstreamName) === foldedName(wanted.name)) ??
      (key.length === 1 && pathParameters(operation).length === 1 ? key[0] : undefined);
    return part && { name: meshName(wanted.name), property: part.property.name };
  });
  const parameters = filled.filter((parameter) => parameter !== undefined);
  if (parameters.length === filled.length) return parameters;
  const message = `It is not served as a stream: the key of ${name} does not fill the parameters of its path`;
  source.report('error', operation.node.pointer, message);
  return undefined;
}

function propertyNamed(
  { source }: Derivation,
  plan: EntityPlan,
  node: DocumentNode | undefined,
): string | undefined {
  const wanted = text(node);
  if (node === undefined || wanted === undefined) return undefined;
  const found = partNamed(plan.properties, wanted);
  if (found === undefined)
    source.report('error', node.pointer, `${quote(wanted)} is not a property of ${plan.name}`);
  return found?.name;
}

/** A property of type Edm.Stream (CSDL 4.01, 7): it has a place of its own, nothing in the entity's JSON. */
export function streamProperty(name: string, deletable: boolean): DescribedStructuralProperty {
  const type = { kind: 'primitive', name: 'Edm.Stream' } as const;
  return { ...plainProperty(name, { type, collection: false }), nullable: deletable };
}

/** The paged list of the entity set of that name (`x-odata.pageOf`). */
function pagedList(named: NamedOperations, plan: EntityPlan, set: string): PagedListOperation | undefined {
  const operation = named.pages.get(set);
  if (operation === undefined) return undefined;
  named.used.add(operation);
  const settings = member(operation.node, 'x-odata');
  const list = listAnswer(named.derivation, operation);
  const given = (node: DocumentNode | undefined): GivenParameter | undefined => {
    const parameter = parameterNamed(named.derivation, operation, node);
    return parameter && givenParameter(named.derivation, parameter);
  };
  const filters = members(member(settings, 'filters')).flatMap(([property, node]) => {
    const name = propertyNamed(named.derivation, plan, { ...node, value: property });
    const filter = given(node);
    return name === undefined || filter === undefined ? [] : [[name, filter] as const];
  });
  return {
    ...(list === undefined
      ? calling(named.derivation, operation, [])
      : listing(named.derivation, list, [], plan)),
    orderBy: given(member(settings, 'orderBy')),
    filters: new Map(filters),
  };
}

function parameterNamed(
  { source }: Derivation,
  operation: DocumentOperation,
  node: DocumentNode | undefined,
): DocumentParameter | undefined {
  if (node === undefined) return undefined;
  const name = text(node);
  const parameter = operation.parameters.find((candidate) => candidate.name === name);
  if (parameter === undefined) {
    source.report('error', node.pointer, `The operation has no parameter ${quote(node.value)}`);
  }
  return parameter;
}

/**
 * The operation that reports changes of a set (`x-odata.changes`): `since`, `items`, `removed` and `next` in
 * its own `x-odata` name the members with tokens and entities. Undefined, and reported, if some are missing.
 */
function changesOperation(named: NamedOperations, schema: Schema): ChangesOperation | undefined {
  const { derivation } = named;
  const node = setting(schema, 'changes');
  const operation = operationNamed(named, node);
  if (node === undefined || operation === undefined) return undefined;
  const settings = member(operation.node, 'x-odata');
  const list = listAnswer(derivation, operation);
  const since = sinceParameter(derivation, operation, settings);
  const next = answerProperty(derivation, operation, settings, 'next');
  const isFeed =
    operation.method === 'get' && pathParameters(operation).length === 0 && isCallable(operation);
  if (!isFeed || list?.item.identity !== schema.identity) {
    const message = 'A change feed is a GET without path parameters that answers with a list of the entities';
    derivation.source.report('error', operation.node.pointer, message);
    return undefined;
  }
  if (since === undefined || next === undefined) return undefined;
  const removed = member(settings, 'removed') && answerProperty(derivation, operation, settings, 'removed');
  return { ...calling(derivation, operation, []), wrappedIn: list.wrappedIn, since, removed, next };
}

function sinceParameter(
  derivation: Derivation,
  operation: DocumentOperation,
  settings: DocumentNode | undefined,
): string | undefined {
  const node = member(settings, 'since');
  if (node === undefined) reportMissing(derivation, operation, 'since', 'the parameter that takes a token');
  const parameter = parameterNamed(derivation, operation, node);
  return parameter && meshName(parameter.name);
}

function answerProperty(
  derivation: Derivation,
  operation: DocumentOperation,
  settings: DocumentNode | undefined,
  key: 'next' | 'removed',
): string | undefined {
  const node = member(settings, key);
  if (node === undefined)
    return reportMissing(derivation, operation, key, 'the property that holds the next token');
  const name = text(node);
  const answer = answerSchema(derivation, operation);
  const isThere = name !== undefined && answer !== undefined && schemaProperties(answer).has(name);
  if (isThere) return name;
  derivation.source.report('error', node.pointer, `The answer has no property ${quote(node.value)}`);
  return undefined;
}

function reportMissing(
  { source }: Derivation,
  { node }: DocumentOperation,
  key: string,
  meaning: string,
): undefined {
  const message = `A change feed needs x-odata.${key}: ${meaning}`;
  source.report('error', node.pointer, message);
  return undefined;
}

/** An entity set to be, with its name and the type of its entities. */
export interface SetDraft extends Pick<ListOperation, 'fixed' | 'over'> {
  readonly plan: EntitySetPlan;
  readonly entity: EntityPlan;
  readonly name: string;
}

/** The place of one entity of the set. */
export function setPlace({ plan: { list, read }, entity, name }: SetDraft): Place | undefined {
  if (read !== undefined) return entityPlace(name, entity, read, undefined);
  return list && listedPlace(name, entity, list.operation, undefined);
}
