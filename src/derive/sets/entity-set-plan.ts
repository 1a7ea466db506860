import { foldedName, singularOf, words } from '../../model/names.ts';
import { type DocumentNode, member, members, text } from '../../openapi/document/document-node.ts';
import {
  componentName,
  isMediaSchema,
  isObjectSchema,
  jsonTypes,
  ownSetting,
  type Schema,
  schemaProperties,
} from '../../openapi/schemas/schema.ts';
import {
  answeredSchemas,
  answerSchema,
  bodyPlace,
  entityAnswer,
  isCallable,
  isCalledByName,
  isChange,
  isPartOfSet,
  isRecord,
  isUntypedAnswer,
  type ListAnswer,
  listAnswer,
  listedEntityAnswer,
  requiredParameters,
} from '../answers/list-answer.ts';
import { isIdentifier } from '../edm-types/identifier.ts';
import { ownIdentifier } from '../edm-types/key-names.ts';
import type { Derivation } from '../operations/derivation.ts';
import {
  type DocumentOperation,
  type Method,
  type PathSegment,
  pathParameters,
  plainPath,
} from '../operations/document-operation.ts';
import { firstSendable, mediaInsert } from '../operations/request-body.ts';
import { type ChangePlan, fillParameters, type Place } from './model-operation.ts';

/** The operations of the document that make an entity set. */
export interface EntitySetPlan {
  /** The schema of the entities: that of the item's read, which a list may have a part of. */
  readonly schema: Schema;
  readonly list: ListAnswer | undefined;
  /** With the segments by which one entity is found, also where a query parameter says which. */
  readonly read: DocumentOperation | undefined;
  readonly insert: DocumentOperation | undefined;
  readonly change: ChangePlan | undefined;
  readonly delete: DocumentOperation | undefined;
  /** All of the operations, also those that another one of them makes needless. */
  readonly operations: readonly DocumentOperation[];
  /** The position for reports. */
  readonly at: DocumentNode;
  /** The path of the collection. */
  readonly segments: readonly PathSegment[];
}

/** Operations by path and method. */
export type OperationIndex = ReadonlyMap<string, ReadonlyMap<Method, DocumentOperation>>;

export function indexOperations(operations: readonly DocumentOperation[]): OperationIndex {
  const index = new Map<string, Map<Method, DocumentOperation>>();
  for (const operation of operations) {
    const path = pathKey(operation);
    const methods = index.get(path) ?? new Map<Method, DocumentOperation>();
    index.set(path, new Map([[operation.method, operation], ...methods]));
  }
  return index;
}

/** The path without differences that do not matter: `/posts`, `/posts/` and `/posts.json` are one list. */
export function pathKey({ path }: DocumentOperation): string {
  return plainPath(path);
}

/** The path whatever its parameters are called. */
export function templateOf(segments: readonly PathSegment[]): string {
  return segments.map((segment) => (segment.kind === 'literal' ? `/${segment.text}` : '/{}')).join('');
}

/** GETs whose path ends with parameters, by the template of the path before these, or before some of them. */
export type ItemReads = ReadonlyMap<string, readonly DocumentOperation[]>;

export function itemReads(operations: readonly DocumentOperation[]): ItemReads {
  const reads = operations.flatMap((read) =>
    read.method === 'get' ? collectionsAbove(read.segments).map((collection) => ({ collection, read })) : [],
  );
  const byCollection = Map.groupBy(reads, ({ collection }) => collection);
  return new Map([...byCollection].map(([collection, found]) => [collection, found.map(({ read }) => read)]));
}

/** The paths of what an entity may be one of, by any number of the parameters at the end of its own, the fewest first. */
function collectionsAbove(segments: readonly PathSegment[]): readonly string[] {
  const lengths = segments.map((_, index) => index).slice(collectionSegments(segments).length);
  return lengths.toReversed().map((length) => templateOf(segments.slice(0, length)));
}

/**
 * The entity sets of the document: each GET without path parameters that returns a list of X, with the GET on the path
 * below it that returns X by path parameters, where there is one.
 *
 * Beyond that: entities that cannot be listed, but are read by key and created, changed or deleted at the same paths.
 */
export function planEntitySets(
  derivation: Derivation,
  operations: readonly DocumentOperation[],
  index: OperationIndex,
  items: ItemReads,
): readonly EntitySetPlan[] {
  const listed = operations.flatMap((operation) => listedPlan(derivation, index, items, operation) ?? []);
  const whole = wholeSchemas(listed);
  const sets = listed.map((plan) => withWholeSchema(plan, whole));
  const listedReads = new Set(sets.map(({ read }) => read));
  const planned = new Set(sets.flatMap(({ read, schema }) => (read === undefined ? [] : [schema.identity])));
  const unlisted = [...new Set([...items.values()].flat())]
    .filter((read) => !listedReads.has(read))
    .flatMap((read) => unlistedPlan(derivation, index, read) ?? [])
    .filter(({ schema }) => !planned.has(schema.identity));
  return [...sets, ...withoutDoubles(unlisted)];
}

/** The schemas of whole entities, by the identity of those that lists have a part of them by. */
export type WholeSchemas = ReadonlyMap<string, Schema>;

export function wholeSchemas(plans: readonly EntitySetPlan[]): WholeSchemas {
  const read = plans.filter((plan) => plan.read !== undefined && plan.list !== undefined).toReversed();
  return new Map(
    read.flatMap(({ list, schema }) => (list === undefined ? [] : [[list.item.identity, schema]])),
  );
}

/** Entities that are only listed may have a complete schema in another list. */
function withWholeSchema(plan: EntitySetPlan, whole: WholeSchemas): EntitySetPlan {
  const schema = plan.read === undefined ? whole.get(plan.schema.identity) : undefined;
  return schema === undefined ? plan : { ...plan, schema };
}

function withoutDoubles(plans: readonly EntitySetPlan[]): readonly EntitySetPlan[] {
  const first = new Map(plans.toReversed().map((plan) => [plan.schema.identity, plan]));
  return plans.filter((plan) => first.get(plan.schema.identity) === plan);
}

function listedPlan(
  derivation: Derivation,
  index: OperationIndex,
  items: ItemReads,
  operation: DocumentOperation,
): EntitySetPlan | undefined {
  const list = isRootList(operation) ? listAnswer(derivation, operation) : undefined;
  if (list === undefined || list.item.hidden || !isRecord(derivation, list.item)) return undefined;
  const { read, schema } = itemRead(derivation, items, list);
  if (read !== undefined)
    return planOf(derivation, index, { schema, segments: operation.segments, list, read });
  if (!isListedAlone(list)) return undefined;
  const queried = queryRead(derivation, list);
  const plan = planOf(derivation, index, { schema, segments: operation.segments, list, read: undefined });
  if (plan === undefined || queried === undefined) return plan;
  return {
    ...plan,
    schema: queried.schema,
    read: queried.read,
    operations: [...plan.operations, queried.operation],
  };
}

/** Whether a list that nothing reads by key is a set: where nothing else can be meant, or its schema says so. */
function isListedAlone({ operation, item, isAll }: ListAnswer): boolean {
  if (isCalledByName(operation) || isPartOfSet(operation)) return false;
  return isAll || ownSetting(item, 'entitySet') !== undefined;
}

interface QueryRead {
  readonly operation: DocumentOperation;
  /** The operation with its query parameter as if it were behind the path of the list. */
  readonly read: DocumentOperation;
  readonly schema: Schema;
}

/**
 * The GET that answers with one of a list's entities by a query parameter which identifies it: `/thing?id=` beside
 * `/things`, or `/animal?uid=` beside `/animal/search`.
 */
function queryRead(derivation: Derivation, { operation: list, item }: ListAnswer): QueryRead | undefined {
  const identifies = ownIdentifiers(list, item);
  const reads = queryReads(derivation);
  const isNamed = componentName(item) !== undefined;
  const places = [...besideKeys(list), ...(isNamed ? [identityKey(item)] : [])];
  for (const { operation, parameter } of places.flatMap((place) => reads.get(place) ?? [])) {
    const answer = identifies(parameter) ? listedEntityAnswer(derivation, operation, item) : undefined;
    if (answer === undefined || answer.schema.hidden || operation === list) continue;
    const segments: readonly PathSegment[] = [...list.segments, { kind: 'parameter', name: parameter }];
    const schema = answer.schema.identity === item.identity ? item : answer.schema;
    return { operation, read: { ...operation, segments }, schema };
  }
  return undefined;
}

interface QueryCandidate {
  readonly operation: DocumentOperation;
  /** The one parameter that it demands. */
  readonly parameter: string;
}

type QueryReads = ReadonlyMap<string, readonly QueryCandidate[]>;

const QUERY_READS = new WeakMap<Derivation, QueryReads>();

/** Maximum number of candidates per list: among more, none is likely to match. */
const MOST_CANDIDATES = 20;

/** GETs that demand one query parameter and nothing in their path, by where their lists may be and what they answer with. */
function queryReads(derivation: Derivation): QueryReads {
  const known = QUERY_READS.get(derivation);
  if (known !== undefined) return known;
  const found = derivation.operations.flatMap((operation) => {
    const [parameter, ...others] = requiredParameters(operation);
    const isByOne =
      parameter?.in === 'query' && others.length === 0 && pathParameters(operation).length === 0;
    if (operation.method !== 'get' || !isByOne || isCalledByName(operation)) return [];
    const candidate = { operation, parameter: parameter.name };
    const keys = [...placeKeys(operation), ...answeredSchemas(derivation, operation).map(identityKey)];
    return [...new Set(keys)].map((key) => ({ key, candidate }));
  });
  const reads = new Map(
    [...Map.groupBy(found, ({ key }) => key)].map(([key, each]) => [
      key,
      each.slice(0, MOST_CANDIDATES).map(({ candidate }) => candidate),
    ]),
  );
  QUERY_READS.set(derivation, reads);
  return reads;
}

function identityKey({ identity }: Schema): string {
  return `schema ${identity}`;
}

/**
 * The possible paths of a read relative to its list: the list's path in the singular, the path above or its
 * own, or below it.
 */
function placeKeys({ segments }: DocumentOperation): readonly string[] {
  const above = templateOf(segments.slice(0, -1));
  return [`named ${above}/${lastName(segments)}`, `at ${templateOf(segments)}`, `below ${above}`];
}

/** The places where a list looks for what reads one of its entities, the likeliest first. */
function besideKeys({ segments }: DocumentOperation): readonly string[] {
  const [above, own] = [templateOf(segments.slice(0, -1)), templateOf(segments)];
  return [`named ${above}/${lastName(segments)}`, `at ${above}`, `below ${own}`];
}

/** The last word of a path in the singular, whatever its style. */
function lastName(segments: readonly PathSegment[]): string {
  const segment = segments.at(-1);
  return segment?.kind === 'literal' ? foldedName(singularOf(segment.text)) : '';
}

/** Whether it is a query parameter that says which entity is read. */
export function isReadByQuery({ path, segments }: DocumentOperation): boolean {
  const last = segments.at(-1);
  return last?.kind === 'parameter' && !path.includes(`{${last.name}}`);
}

interface ItemRead {
  readonly read: DocumentOperation | undefined;
  /** The schema of the entities: the item's, where there is one. */
  readonly schema: Schema;
}

/**
 * The GET below a list's path that returns one of its entities, or more of one than the list. A GET that
 * returns the same as the list contains the list, and is no read of an entity.
 */
export function itemRead(
  derivation: Derivation,
  items: ItemReads,
  { operation, item, wrappedIn }: ListAnswer,
): ItemRead {
  const holder = wrappedIn && answerSchema(derivation, operation)?.identity;
  const below = items.get(templateOf(operation.segments)) ?? [];
  for (const read of [...below, ...readsInSingular(derivation, items, operation, item)]) {
    const answer = isCallable(read) ? listedEntityAnswer(derivation, read, item) : undefined;
    if (answer === undefined || answer.schema.hidden || answer.schema.identity === holder) continue;
    if (answer.schema.identity !== item.identity) reportWhole(derivation, operation, item, answer.schema);
    return { read, schema: answer.schema.identity === item.identity ? item : answer.schema };
  }
  return { read: listOfOne(derivation, items, { operation, item }), schema: item };
}

/**
 * The GET of one of a list's entities by its identifier whose path has the collection in the singular: `/alarm/{alarmId}`
 * beside `/alarms`.
 */
function readsInSingular(
  derivation: Derivation,
  items: ItemReads,
  { segments }: DocumentOperation,
  item: Schema,
): readonly DocumentOperation[] {
  const last = segments.at(-1);
  const singular = last?.kind === 'literal' ? singularLiteral(last.text) : undefined;
  if (singular === undefined) return [];
  const reads = items.get(templateOf([...segments.slice(0, -1), { kind: 'literal', text: singular }])) ?? [];
  return reads.filter(
    (read) =>
      read.segments.length === segments.length + 1 &&
      identifierOf(read) !== undefined &&
      entityAnswer(derivation, read, item)?.schema.identity === item.identity,
  );
}

/** The text of a segment with its last word in the singular, in its own style; undefined where it is in that. */
function singularLiteral(text: string): string | undefined {
  const [, before = '', last = ''] = /^(.*?)([a-z]+|[A-Z][a-z]*)$/.exec(text) ?? [];
  const singular = `${before}${singularOf(last)}`;
  return last === '' || singular === text ? undefined : singular;
}

/** Returns whether a parameter's name alone identifies an entity of the list, like a property of it. */
function ownIdentifiers({ segments }: DocumentOperation, item: Schema): (parameter: string) => boolean {
  const collection = segments.at(-1);
  const owner = collection?.kind === 'literal' ? collection.text : undefined;
  const wordOf = (name: string) => ownIdentifier(item, name, owner);
  const words = new Set([...schemaProperties(item).keys()].flatMap((name) => wordOf(name) ?? []));
  return (parameter) => words.has(wordOf(parameter) ?? '');
}

/** The GET below a list's path that answers with a list of the one entity that its parameter identifies. */
function listOfOne(
  derivation: Derivation,
  items: ItemReads,
  { operation, item }: Pick<ListAnswer, 'operation' | 'item'>,
): DocumentOperation | undefined {
  const identifies = ownIdentifiers(operation, item);
  return items.get(templateOf(operation.segments))?.find((read) => {
    const parameter = read.segments.at(-1);
    const isByOne = read.segments.length === operation.segments.length + 1 && parameter?.kind === 'parameter';
    if (!isByOne || !isCallable(read) || isCalledByName(read) || isPartOfSet(read)) return false;
    const found = identifies(parameter.name) ? listAnswer(derivation, read) : undefined;
    return found?.isAll === true && isAlike(found.item, item);
  });
}

/** Whether two schemas are the same, or written out twice: objects with the same properties. */
function isAlike(a: Schema, b: Schema): boolean {
  const [names, others] = [schemaProperties(a), schemaProperties(b)];
  const isSame =
    names.size > 0 && names.size === others.size && [...names.keys()].every((name) => others.has(name));
  return (
    a.identity === b.identity || (componentName(a) === undefined && componentName(b) === undefined && isSame)
  );
}

function reportWhole({ source }: Derivation, { node }: DocumentOperation, part: Schema, whole: Schema): void {
  const [listed, read] = [
    componentName(part) ?? 'a schema of their own',
    componentName(whole) ?? 'another one',
  ];
  const message = `The list has its entities as ${listed} and their read as ${read}: they are one type, that of the read`;
  source.report('info', node.pointer, message, 'list-and-item-are-one-type');
}

/** Entities that are read by key and written, but in no list. */
function unlistedPlan(
  derivation: Derivation,
  index: OperationIndex,
  read: DocumentOperation,
): EntitySetPlan | undefined {
  const schema = isByKey(read) && isCallable(read) ? answerSchema(derivation, read) : undefined;
  if (schema === undefined || schema.hidden || !isRecord(derivation, schema)) return undefined;
  if (componentName(schema) === undefined) return undefined;
  const segments = collectionSegments(read.segments);
  const create = index.get(templateOf(segments))?.get('post');
  const isCreated = create !== undefined && answerSchema(derivation, create)?.identity === schema.identity;
  const methods = index.get(pathKey(read));
  const isChanged = methods !== undefined && methods.size > 1;
  if (!isCreated && !isChanged && ownSetting(schema, 'entitySet') === undefined) return undefined;
  return planOf(derivation, index, { schema, segments, list: undefined, read });
}

/** Whether the path ends with parameters, and has no others before them. */
function isByKey({ segments }: DocumentOperation): boolean {
  const first = segments.findIndex(({ kind }) => kind === 'parameter');
  return first > 0 && segments.slice(first).every(({ kind }) => kind === 'parameter');
}

/** The path without the parameters at its end. */
function collectionSegments(segments: readonly PathSegment[]): readonly PathSegment[] {
  return segments.slice(0, segments.findLastIndex(({ kind }) => kind === 'literal') + 1);
}

function isRootList(operation: DocumentOperation): boolean {
  const isRead = operation.method === 'get' && pathParameters(operation).length === 0;
  return isRead && isCallable(operation);
}

function planOf(
  derivation: Derivation,
  index: OperationIndex,
  reads: Pick<EntitySetPlan, 'schema' | 'segments' | 'list' | 'read'>,
): EntitySetPlan | undefined {
  const { schema, segments, list, read } = reads;
  const at = (read ?? list?.operation)?.node;
  if (at === undefined) return undefined;
  const path = list === undefined ? templateOf(segments) : pathKey(list.operation);
  const insert = plainInsert(derivation, creating(index.get(path)), schema);
  const { change, remove, all } = withKeyedChange(
    derivation,
    index.get(path),
    schema,
    itemChanges(derivation, index, read, schema),
  );
  const operations = [list?.operation, read, insert, ...all];
  return {
    ...reads,
    insert,
    change,
    delete: remove,
    operations: operations.filter((operation) => operation !== undefined),
    at,
  };
}

export interface ItemChanges {
  readonly change: ChangePlan | undefined;
  readonly remove: DocumentOperation | undefined;
  readonly all: readonly DocumentOperation[];
}

/**
 * The operations that change an entity, at the path of its read, also with `{kind_id}` in place of `{id}`.
 */
export function itemChanges(
  derivation: Derivation,
  index: OperationIndex,
  read: DocumentOperation | undefined,
  schema: Schema,
): ItemChanges {
  if (read === undefined) return NO_CHANGES;
  const identifier = identifierOf(read);
  const alike = operationsAt(index, read.segments).filter(
    (operation) => identifier !== undefined && identifierOf(operation) === identifier,
  );
  return changesBy(derivation, [...alike, ...(index.get(pathKey(read))?.values() ?? [])], schema);
}

/** The operations that change entities without a read: on a path with a parameter named like their key. */
export function listedChanges(
  derivation: Derivation,
  index: OperationIndex,
  place: Place | undefined,
  schema: Schema,
): ItemChanges {
  if (place === undefined) return NO_CHANGES;
  const found = operationsAt(index, place.segments).filter(
    (operation) =>
      isCallable(operation) &&
      fillParameters(place, operation) !== undefined &&
      takesKey(derivation, place, operation),
  );
  return changesBy(derivation, found, schema);
}

/**
 * Whether the last path parameter is the key, because a delete must not affect another entity. `{uuid}` is
 * not an `id`. `{member}`, named like the entity, may be a name, and is one if the key is a number and the
 * parameter a text.
 */
function takesKey({ read }: Derivation, { slots }: Place, operation: DocumentOperation): boolean {
  const parameter = pathParameters(operation).at(-1);
  const key = slots.at(-1)?.property;
  if (parameter === undefined || key === undefined) return false;
  const [identifier, ownIdentifier] = [identifierOf(operation), identifierIn(key.upstreamName)];
  if (identifier !== undefined) {
    return ownIdentifier !== undefined && (identifier === 'id' || identifier === ownIdentifier);
  }
  const schema = parameter.schema && read(parameter.schema);
  const [taken, own] = [schema ? jsonTypes(schema) : [], jsonTypes(key.schema)];
  return taken.length === 0 || own.length === 0 || taken.some((type) => own.includes(type));
}

/** The word of the last parameter of a path that says that it identifies an entity: `id` of `{post_id}`. */
function identifierOf({ segments }: DocumentOperation): string | undefined {
  const last = segments.at(-1);
  return last?.kind === 'parameter' ? identifierIn(last.name) : undefined;
}

function identifierIn(name: string): string | undefined {
  const found = words(name).findLast(isIdentifier);
  return found && foldedName(found);
}

/** The operation that creates in a collection: a PUT only where it alone says so, such as Xero's. */
function creating(
  methods: ReadonlyMap<Method, DocumentOperation> | undefined,
): DocumentOperation | undefined {
  const [post, put] = [methods?.get('post'), methods?.get('put')];
  return put !== undefined && isCreate(put) && (post === undefined || !isCreate(post)) ? put : post;
}

/** Words of operations that create, and of those that may change what is there. */
const [CREATES, CHANGES] = [
  /^(?:add|create|insert|new|register)/i,
  /^(?:update|edit|modify|change|replace|set|upsert|save)/i,
];

/** Whether the name of an operation says that it creates, and not that it changes what is there. */
function isCreate({ operationId, node }: DocumentOperation): boolean {
  const written = words(operationId ?? text(member(node, 'summary')) ?? '');
  return written.some((word) => CREATES.test(word)) && !written.some((word) => CHANGES.test(word));
}

/**
 * The changes of an entity, with that by its collection's path where no other one is: a PUT or PATCH of one entity whose
 * body says which one it is, as Petstore's `PUT /pet` does, or a POST beside a PUT that creates.
 */
export function withKeyedChange(
  derivation: Derivation,
  methods: ReadonlyMap<Method, DocumentOperation> | undefined,
  schema: Schema,
  changes: ItemChanges,
): ItemChanges {
  if (changes.change !== undefined) return changes;
  const created = creating(methods);
  const found = [methods?.get('patch'), methods?.get('put'), methods?.get('post')].filter(
    (operation) => operation !== created && isKeyedChange(derivation, operation, schema),
  );
  const [update] = found;
  if (update === undefined) return changes;
  const message = 'It changes the entity that its body identifies, and is taken for the update of the set';
  derivation.source.report('info', update.node.pointer, message, 'update-by-body');
  return { ...changes, change: { update, replace: undefined }, all: [...changes.all, update] };
}

/** Whether an operation takes one entity with what identifies it, and answers with it, or with nothing. */
function isKeyedChange(
  derivation: Derivation,
  operation: DocumentOperation | undefined,
  schema: Schema,
): boolean {
  if (operation === undefined || firstSendable(derivation, [operation]) === undefined) return false;
  if (isCalledByName(operation) || !isChange(derivation, operation)) return false;
  const body = bodySchema(derivation, operation, schema);
  const identifiers = [...schemaProperties(schema).keys()].filter((name) => identifiesEntity(schema, name));
  const isIdentified = body !== undefined && identifiers.some((name) => schemaProperties(body).has(name));
  const isAnswered = operation.answer === undefined || answersWith(derivation, operation, schema);
  return isIdentified && isAnswered;
}

/** Whether a property identifies entities of its schema by its name: `id`, or `petId` of a pet. */
function identifiesEntity(schema: Schema, name: string): boolean {
  return ownIdentifier(schema, name, undefined) !== undefined;
}

/** The schema of the one entity that the body of an operation has: within what stands around that, if anything. */
function bodySchema(
  derivation: Derivation,
  operation: DocumentOperation,
  schema: Schema,
): Schema | undefined {
  const whole = operation.body?.schema && derivation.read(operation.body.schema);
  if (whole === undefined) return undefined;
  const { bodyWrappedIn, bodyIsList } = bodyPlace(derivation, operation, schema, undefined);
  if (bodyIsList === true) return schema;
  const node = bodyWrappedIn === undefined ? undefined : schemaProperties(whole).get(bodyWrappedIn);
  return node === undefined ? whole : derivation.read(node);
}

export const NO_CHANGES: ItemChanges = { change: undefined, remove: undefined, all: [] };

const BY_TEMPLATE = new WeakMap<OperationIndex, ReadonlyMap<string, readonly DocumentOperation[]>>();

/** The operations at a path, whatever its parameters are called. */
function operationsAt(index: OperationIndex, segments: readonly PathSegment[]): readonly DocumentOperation[] {
  const known = BY_TEMPLATE.get(index);
  if (known !== undefined) return known.get(templateOf(segments)) ?? [];
  const all = [...index.values()].flatMap((methods) => [...methods.values()]);
  BY_TEMPLATE.set(
    index,
    Map.groupBy(all, (operation) => templateOf(operation.segments)),
  );
  return operationsAt(index, segments);
}

/** Of the operations on an entity's path, the last of each method: PATCH or PUT, or, where neither is there, a POST. */
function changesBy(
  derivation: Derivation,
  operations: readonly DocumentOperation[],
  schema: Schema,
): ItemChanges {
  const byMethod = new Map(operations.map((operation) => [operation.method, operation]));
  const onItem = new Map([...byMethod].filter(([, operation]) => isChange(derivation, operation)));
  const [put, patch, post, remove] = [
    onItem.get('put'),
    onItem.get('patch'),
    onItem.get('post'),
    onItem.get('delete'),
  ];
  const isWritable = (operation: DocumentOperation | undefined) =>
    firstSendable(derivation, [operation]) !== undefined;
  const changes = [patch, put].filter(isWritable);
  const posted = changes.length === 0 && isUpdate(derivation, post, schema) ? [post] : [];
  const all = [...changes, ...posted, remove].filter((operation) => operation !== undefined);
  const [update, replace] = [...changes, ...posted];
  return { change: update && { update, replace }, remove, all };
}

/** Whether a POST on an entity's own path takes properties of the entity, and answers with it. */
function isUpdate(
  derivation: Derivation,
  post: DocumentOperation | undefined,
  schema: Schema,
): post is DocumentOperation {
  if (post === undefined || firstSendable(derivation, [post]) === undefined) return false;
  if (post.body?.schema === undefined || !answersWith(derivation, post, schema)) return false;
  const message = 'A POST on the path of one entity, where nothing else changes it, is taken for its update';
  derivation.source.report('info', post.node.pointer, message, 'post-is-update');
  return true;
}

/** Its body can be written, or it is the stream of a media entity. */
function isInsertable(derivation: Derivation, operation: DocumentOperation, schema: Schema): boolean {
  if (firstSendable(derivation, [operation]) !== undefined) return true;
  return isMediaSchema(schema) && mediaInsert(derivation, operation) !== undefined;
}

/** Whether a change answers with an entity of a schema: by itself, or as the only item of a list, as it takes it. */
function answersWith(derivation: Derivation, operation: DocumentOperation, schema: Schema): boolean {
  if (entityAnswer(derivation, operation, schema) !== undefined) return true;
  const { bodyIsList } = bodyPlace(derivation, operation, schema, undefined);
  const list = bodyIsList === true ? listAnswer(derivation, operation) : undefined;
  return list?.isAll === true && isAlike(list.item, schema);
}

/** The create of a list of which nothing but the path says where in it. */
export function plainInsert(
  derivation: Derivation,
  operation: DocumentOperation | undefined,
  schema: Schema,
): DocumentOperation | undefined {
  const insert = insertOperation(derivation, operation, schema);
  return insert !== undefined && isChange(derivation, insert) ? insert : undefined;
}

/** A POST on the list's path, if it answers with the entity that it made, with its URL alone, or with nothing. */
export function insertOperation(
  derivation: Derivation,
  operation: DocumentOperation | undefined,
  schema: Schema,
): DocumentOperation | undefined {
  if (operation === undefined || !isInsertable(derivation, operation, schema)) return undefined;
  const isAnswered = answersWith(derivation, operation, schema);
  if (isAnswered || isAnsweredByUrl(derivation, operation, schema)) return operation;
  const answer = componentName(schema) ?? 'the entity';
  const message = `It does not answer with ${answer}, so that it is an action and no create`;
  const hint = 'where it makes one, an overlay can give its answer that schema';
  derivation.source.report('warning', operation.node.pointer, `${message}: ${hint}`, 'post-is-no-create');
  return undefined;
}

/**
 * Whether it answers with nothing, or with what the document says nothing of, and takes nothing but what the entity has:
 * what it makes is said by the URL alone, if at all (RFC 9110, 9.3.3). What is accepted (202) is not there yet.
 */
function isAnsweredByUrl(derivation: Derivation, operation: DocumentOperation, schema: Schema): boolean {
  const { answer, node, response } = operation;
  const statuses = members(member(node, 'responses')).map(([status]) => status);
  const headers = members(member(response, 'headers')).map(([name]) => name.toLowerCase());
  const isDone = headers.includes('location') || statuses.some((status) => /^2(?:0[0134]|XX)$/i.test(status));
  const content = answer === undefined && members(member(response, 'content')).length > 0;
  const hasContent = content || (answer !== undefined && !isUntypedAnswer(derivation, operation));
  const written = operation.body?.schema;
  const body = written && derivation.read(written);
  if (hasContent || !isDone || body === undefined || !isObjectSchema(body)) return false;
  const names = [...schemaProperties(body).keys()];
  return names.length > 0 && names.every((name) => schemaProperties(schema).has(name));
}
