import { isAboutAnswer, isHolder, LIST_NAMES } from '../../model/answer-words.ts';
import { foldedName, singularOf, words } from '../../model/names.ts';
import type { AnswerPath } from '../../model/operation.ts';
import { type DocumentNode, member, text } from '../../openapi/document/document-node.ts';
import { quote } from '../../openapi/document/document-source.ts';
import {
  componentName,
  isArraySchema,
  isObjectSchema,
  itemNode,
  jsonTypes,
  keyword,
  ownSetting,
  type Schema,
  schemaProperties,
} from '../../openapi/schemas/schema.ts';
import type { Derivation } from '../operations/derivation.ts';
import { type DocumentOperation, onlyValue, plainPath } from '../operations/document-operation.ts';
import { isGivenByPages } from './page-words.ts';

/** A GET that answers with a list: bare, or within an object. */
export interface ListAnswer {
  readonly operation: DocumentOperation;
  /** The schema of the items. */
  readonly item: Schema;
  /** The path of the list in the response; undefined for a bare list. */
  readonly wrappedIn: AnswerPath | undefined;
  /**
   * True if the response can only be this list: the document or the name of the array declares it, or all
   * other members describe paging.
   */
  readonly isAll: boolean;
}

/** The schema that an operation answers with. */
export function answerSchema({ read }: Derivation, operation: DocumentOperation): Schema | undefined {
  return operation.answer === undefined ? undefined : read(operation.answer);
}

/** The members of the object that holds a list; undefined for a bare list. */
export function envelopeOf(
  derivation: Derivation,
  { operation, wrappedIn }: ListAnswer,
): readonly string[] | undefined {
  const schema = wrappedIn && answerSchema(derivation, operation);
  return schema && [...schemaProperties(schema).keys()];
}

/**
 * Whether an operation has a JSON response with an empty schema: `{}`, or an object without declared
 * properties.
 */
export function isUntypedAnswer(derivation: Derivation, operation: DocumentOperation): boolean {
  const schema = answerSchema(derivation, operation);
  if (schema === undefined || schema.alternatives.length > 0) return false;
  if (SAYING.some((name) => keyword(schema, name) !== undefined)) return false;
  const others = keyword(schema, 'additionalProperties')?.value ?? true;
  return isOpen(others) && (jsonTypes(schema).length === 0 || isObjectSchema(schema));
}

const SAYING = [
  'properties',
  'patternProperties',
  'items',
  'enum',
  'const',
  'format',
  'not',
  'maxProperties',
];

function isOpen(others: unknown): boolean {
  return (
    others === true || (typeof others === 'object' && others !== null && Object.keys(others).length === 0)
  );
}

/**
 * The list in the response of a GET, or undefined if the response has none: an array; the array that
 * `x-odata.items` names; or an array of objects within an object (by its name if there are several), also one
 * level deeper within a data wrapper.
 */
export function listAnswer(derivation: Derivation, operation: DocumentOperation): ListAnswer | undefined {
  const schema = answerSchema(derivation, operation);
  if (schema === undefined) return undefined;
  const bare = itemSchema(derivation, schema);
  if (bare !== undefined) return { operation, item: bare, wrappedIn: undefined, isAll: true };
  const declared = text(member(member(operation.node, 'x-odata'), 'items'));
  if (declared !== undefined) {
    const found = listAt(derivation, schema, declared.split(/[./]/));
    return found && { operation, ...found };
  }
  const held = heldList(derivation, schema, operation);
  const found = held && isOwnDetail(derivation, schema, operation, held) ? undefined : held;
  if (found !== undefined) return { operation, ...found };
  return isListOfItems(derivation, operation, schema)
    ? { operation, item: schema, wrappedIn: undefined, isAll: true }
    : undefined;
}

/**
 * Whether a list is a detail of the one entity that the last path parameter identifies: the entity then has
 * members other than paging members or response metadata.
 */
function isOwnDetail(
  { read }: Derivation,
  schema: Schema,
  { segments }: DocumentOperation,
  { wrappedIn = [] }: HeldList,
): boolean {
  if (segments.at(-1)?.kind !== 'parameter') return false;
  let holder: Schema | undefined = schema;
  for (const name of wrappedIn) {
    const properties: ReadonlyMap<string, DocumentNode> = holder ? schemaProperties(holder) : new Map();
    if ([...properties.keys()].some((other) => other !== name && !isAboutAnswer(other))) return true;
    const node = properties.get(name);
    holder = node && read(node);
  }
  return false;
}

/**
 * Whether a GET that answers with one object by its document is the list of such objects: its path ends in a plural, and
 * the path below reads one of them by a parameter. Its answers are read as lists and as objects.
 */
function isListOfItems(derivation: Derivation, operation: DocumentOperation, schema: Schema): boolean {
  const { method, segments, node } = operation;
  const last = segments.at(-1);
  if (method !== 'get' || last?.kind !== 'literal' || singularOf(last.text) === last.text) return false;
  if (!isObjectSchema(schema) || componentName(schema) === undefined || isCalledByName(operation))
    return false;
  if (ownSetting(schema, 'singleton') !== undefined || !hasItemRead(derivation, operation, schema))
    return false;
  const message = `It answers with one ${quote(componentName(schema))} by its document, and is taken for the list of these`;
  derivation.source.report('info', node.pointer, message, 'object-is-a-list');
  return true;
}

function hasItemRead(derivation: Derivation, { path }: DocumentOperation, schema: Schema): boolean {
  const above = plainPath(path);
  return derivation.operations.some((other) => {
    const last = other.segments.at(-1);
    if (other.method !== 'get' || other.answer === undefined || last?.kind !== 'parameter') return false;
    const isBelow = plainPath(other.path).replace(/\/[^/]*$/, '') === above;
    if (!isBelow || derivation.read(other.answer)?.identity !== schema.identity) return false;
    const names = [...schemaProperties(schema).keys()].map(foldedName);
    return names.some((name) => name === foldedName(last.name) || IDENTIFYING.test(name));
  });
}

/** Whether a GET answers with one of several kinds of lists, each in an object of its own: which it is, no row says. */
export function isOneOfLists(derivation: Derivation, operation: DocumentOperation): boolean {
  const kinds = answerSchema(derivation, operation)?.alternatives ?? [];
  const lists = kinds.flatMap((node) => {
    const kind = derivation.read(node);
    return (kind && heldList(derivation, kind, operation)) ?? [];
  });
  return kinds.length > 1 && lists.length === kinds.length && lists.every(({ isAll }) => isAll);
}

type HeldList = Omit<ListAnswer, 'operation'>;

function listAt(derivation: Derivation, schema: Schema, path: AnswerPath): HeldList | undefined {
  const held = path.reduce<Schema | undefined>((outer, name) => {
    const node = outer && schemaProperties(outer).get(name);
    return node && derivation.read(node);
  }, schema);
  const item = held && itemSchema(derivation, held);
  return item && { item, wrappedIn: path, isAll: true };
}

/** Arrays that envelopes have beside their list. */
const BESIDE: ReadonlySet<string> = new Set([
  'errors',
  'warnings',
  'links',
  'included',
  'messages',
  'facets',
  'aggregations',
]);

function heldList(
  derivation: Derivation,
  schema: Schema,
  operation: DocumentOperation,
): HeldList | undefined {
  if (!isObjectSchema(schema)) return undefined;
  const ends = pathNames(operation);
  const lists = heldLists(derivation, schema, ends);
  const names = isPage(schema) ? [...LIST_NAMES, 'content'] : LIST_NAMES;
  const named = listNamed(lists, [...names, ...ends]) ?? listEndingIn(lists, operation, ends[0]);
  const [only, ...others] = lists;
  const list = named ?? (others.length === 0 ? only : undefined);
  if (list === undefined) return lists.length === 0 ? deeperList(derivation, schema, operation) : undefined;
  const beside = [...schemaProperties(schema).keys()].filter((name) => name !== list.name);
  const isAll = named !== undefined || beside.every(isAboutAnswer) || isNamedAfter(list, operation);
  return { item: list.item, wrappedIn: [list.name], isAll };
}

/**
 * Members of pages in the style of Spring: next to these, `content` is the list, not a property of an entity.
 */
const OF_PAGE = /^(?:page|pageable|totalelements|totalpages|totalcount|numberofelements)$/;

function isPage(schema: Schema): boolean {
  return [...schemaProperties(schema).keys()].some((name) => OF_PAGE.test(foldedName(name)));
}

function listNamed(lists: readonly NamedList[], names: readonly string[]): NamedList | undefined {
  return names.flatMap((name) => lists.find((list) => foldedName(list.name) === name) ?? [])[0];
}

/**
 * Matches `queue_members` with `/queues/{id}/members`; `related_bills` of `/bills/{id}` does not match, since
 * it is a detail of one bill.
 */
function listEndingIn(
  lists: readonly NamedList[],
  { segments }: DocumentOperation,
  end: string | undefined,
): NamedList | undefined {
  if (end === undefined || segments.at(-1)?.kind === 'parameter') return undefined;
  return lists.find(({ name }) => foldedName(name).endsWith(end));
}

/** Whether the first words of a name, and not all of them, are that. */
function beginsWithWords(name: string, folded: string): boolean {
  let beginning = '';
  for (const word of words(name)) {
    if (beginning.length >= folded.length) break;
    beginning += word.toLowerCase();
  }
  return beginning === folded && foldedName(name) !== folded;
}

/** Whether a list is named after the collection at the end of the path: `category_groups` of `/categories`. */
function isNamedAfter({ name }: NamedList, { segments }: DocumentOperation): boolean {
  const last = segments.at(-1);
  if (last?.kind !== 'literal') return false;
  const [plural, singular] = [foldedName(last.text), foldedName(singularOf(last.text))];
  return plural !== singular && beginsWithWords(name, singular);
}

/**
 * The list in the data wrapper object, `data.items` or `_embedded.orders`; in any other object only if the
 * path names it, such as `category_list.categories` for `/categories`.
 */
function deeperList(
  derivation: Derivation,
  schema: Schema,
  operation: DocumentOperation,
): HeldList | undefined {
  for (const [name, node] of schemaProperties(schema)) {
    const held = derivation.read(node);
    if (held === undefined || !isObjectSchema(held)) continue;
    const lists = heldLists(derivation, held, pathNames(operation));
    const whole = isHolder(name) && lists.length > 0 ? heldList(derivation, held, operation) : undefined;
    const found = whole?.isAll === true ? whole : namedList(lists, operation);
    if (found !== undefined) return { ...found, wrappedIn: [name, ...(found.wrappedIn ?? [])] };
  }
  return undefined;
}

/** The list that is named as the path ends. */
function namedList(lists: readonly NamedList[], operation: DocumentOperation): HeldList | undefined {
  const [end] = operation.segments.at(-1)?.kind === 'literal' ? pathNames(operation) : [];
  const named = lists.find(({ name }) => foldedName(name) === end);
  return named && { item: named.item, wrappedIn: [named.name], isAll: true };
}

/** The end of the path, as a list may be named after it. */
function pathNames({ segments }: DocumentOperation): readonly string[] {
  const last = segments.findLast(({ kind }) => kind === 'literal');
  if (last?.kind !== 'literal') return [];
  return [
    foldedName(last.text),
    foldedName(singularOf(last.text)),
    `${foldedName(singularOf(last.text))}list`,
  ];
}

interface NamedList {
  readonly name: string;
  readonly item: Schema;
}

/**
 * The arrays of objects in an object, without those that accompany another list. `ends` has the last words of
 * the path.
 */
function heldLists(derivation: Derivation, schema: Schema, ends: readonly string[]): readonly NamedList[] {
  return [...schemaProperties(schema)].flatMap(([name, node]) => {
    if (BESIDE.has(foldedName(name)) && !ends.includes(foldedName(name))) return [];
    const property = derivation.read(node);
    const item = property && itemSchema(derivation, property);
    return item !== undefined && isRecord(derivation, item) ? [{ name, item }] : [];
  });
}

/** Whether an object has exactly one array of objects, regardless of its other members. */
export function holdsOneList(derivation: Derivation, schema: Schema): boolean {
  return isObjectSchema(schema) && heldLists(derivation, schema, []).length === 1;
}

/** Whether values of a schema are objects, be it one of several kinds of them. */
export function isRecord({ inheritance, read }: Derivation, schema: Schema): boolean {
  if (isObjectSchema(schema) || inheritance.isUnion(schema)) return true;
  const branches = schema.alternatives.flatMap((branch) => read(branch) ?? []);
  return (
    branches.length > 0 && branches.length === schema.alternatives.length && branches.every(isObjectSchema)
  );
}

function itemSchema({ read }: Derivation, schema: Schema): Schema | undefined {
  const item = isArraySchema(schema) ? itemNode(schema) : undefined;
  return item === undefined ? undefined : read(item);
}

/** Whether a response has a list and paging members, and no other members. */
export function isListWrapper(derivation: Derivation, list: ListAnswer): boolean {
  return list.wrappedIn !== undefined && list.isAll && answerSchema(derivation, list.operation) !== undefined;
}

/**
 * Whether a read needs only path parameters: required query parameters and headers are excluded, except for
 * paging parameters, which the gateway fills. So are parameters within a segment, as in `/posts.{format}`,
 * which no key can fill.
 */
export function isCallable(operation: DocumentOperation): boolean {
  return isAddressable(operation) && requiredParameters(operation).length === 0;
}

/**
 * Whether a change requires no query parameter. A required header is reported, because the project may set
 * it.
 */
export function isChange({ source }: Derivation, operation: DocumentOperation): boolean {
  const demanded = requiredParameters(operation);
  const [header] = demanded;
  if (demanded.some((parameter) => parameter.in === 'query')) return false;
  if (header === undefined) return true;
  const message = `It demands the header ${quote(header.name)}, for which a change of an entity has no place`;
  const hint = 'operationHeaders of the source can give it';
  source.report('warning', operation.node.pointer, `${message}: ${hint}`, 'change-demands-a-header');
  return true;
}

/** Whether each path parameter is a whole path segment. */
export function isAddressable({ segments }: DocumentOperation): boolean {
  return !segments.some((segment) => segment.kind === 'literal' && /[{}]/.test(segment.text));
}

/** The parameters outside of the path that a caller must give. */
export function requiredParameters({ parameters }: DocumentOperation): DocumentOperation['parameters'] {
  return parameters.filter((parameter) => {
    const isGiven = onlyValue(parameter.schema) !== undefined || isGivenByPages(parameter);
    return parameter.required && parameter.in !== 'path' && !isGiven;
  });
}

/** Whether `x-odata` declares the operation as a function or an action. */
export function isCalledByName({ node }: DocumentOperation): boolean {
  const settings = member(node, 'x-odata');
  return (member(settings, 'function') ?? member(settings, 'action')) !== undefined;
}

/** Whether `x-odata` gives the operation a part of its own in a set: a list in pages, or a feed of changes. */
export function isPartOfSet({ node }: DocumentOperation): boolean {
  const settings = member(node, 'x-odata');
  return ['pageOf', 'since', 'bound'].some((key) => member(settings, key) !== undefined);
}

/** An entity that an operation answers with, and where in the answer it stands. */
export interface EntityAnswer {
  readonly schema: Schema;
  /** Undefined if the response is the entity itself. */
  readonly wrappedIn: AnswerPath | undefined;
}

function isSame(answered: Schema, { identity, variantOf = identity }: Schema): boolean {
  return answered.identity === variantOf;
}

/** The entity of a schema in the response, with its path; undefined if the response is something else. */
export function entityAnswer(
  derivation: Derivation,
  operation: DocumentOperation,
  schema: Schema,
): EntityAnswer | undefined {
  const answers = answeredEntities(derivation, operation);
  return (
    answers.find((answer) => isSame(answer.schema, schema)) ??
    answers.find((answer) => isPartOf(answer.schema, schema))
  );
}

/** The entity that an operation answers with, which a list answers with too, or with a part of it. */
export function listedEntityAnswer(
  derivation: Derivation,
  operation: DocumentOperation,
  item: Schema,
): EntityAnswer | undefined {
  const answers = answeredEntities(derivation, operation);
  return (
    answers.find((answer) => answer.schema.identity === item.identity) ??
    answers.find((answer) => isPartOf(item, answer.schema))
  );
}

/** The possible entities in the response: the response itself, or a wrapped object. */
function answeredEntities(derivation: Derivation, operation: DocumentOperation): readonly EntityAnswer[] {
  const answer = answerSchema(derivation, operation);
  if (answer === undefined) return [];
  const wrapped = isObjectSchema(answer) ? wrappedEntities(derivation, operation, answer) : [];
  return [...bareEntities(derivation, answer), ...wrapped];
}

/** The schemas that an operation may be said to answer with one entity of. */
export function answeredSchemas(derivation: Derivation, operation: DocumentOperation): readonly Schema[] {
  return answeredEntities(derivation, operation).map(({ schema }) => schema);
}

/**
 * The response itself as an entity; for a choice of schemas, such as an existing or a deleted entity, any of
 * these.
 */
function bareEntities({ read, inheritance }: Derivation, answer: Schema): readonly EntityAnswer[] {
  const branches = inheritance.isUnion(answer)
    ? []
    : answer.alternatives.flatMap((branch) => read(branch) ?? []);
  return [answer, ...branches].map((schema) => ({ schema, wrappedIn: undefined }));
}

/** Names of properties that hold what an answer is about. */
const WRAPPING_WORDS: ReadonlySet<string> = new Set([
  'data',
  'result',
  'item',
  'value',
  'response',
  'entity',
  'record',
]);

/** An object within the response, or within the data wrapper: `data.account`. */
function wrappedEntities(
  derivation: Derivation,
  operation: DocumentOperation,
  answer: Schema,
): readonly EntityAnswer[] {
  const wrapped = heldEntities(derivation, operation, answer);
  const deeper = wrapped
    .filter(({ name }) => isHolder(name))
    .flatMap((holder) =>
      heldEntities(derivation, operation, holder.schema).map(({ name, schema }) => ({
        schema,
        wrappedIn: [holder.name, name],
      })),
    );
  return [...wrapped.map(({ name, schema }) => ({ schema, wrappedIn: [name] })), ...deeper];
}

interface HeldEntity {
  readonly name: string;
  readonly schema: Schema;
}

function heldEntities(
  { read, inheritance }: Derivation,
  operation: DocumentOperation,
  holder: Schema,
): readonly HeldEntity[] {
  const properties = [...schemaProperties(holder)];
  const objects = properties.flatMap(([name, node]) => {
    const schema = read(node);
    const isObject = schema !== undefined && (isObjectSchema(schema) || inheritance.isUnion(schema));
    return isObject ? [{ name, schema }] : [];
  });
  return objects.filter(
    ({ name }) =>
      isWrapping(operation, name) || properties.every(([other]) => other === name || isAboutAnswer(other)),
  );
}

/** Whether a property is named as what holds an entity is: `data`, or `user` of `/users/{id}`. */
function isWrapping({ segments }: DocumentOperation, name: string): boolean {
  const last = segments.findLast(({ kind }) => kind === 'literal');
  const named = last?.kind === 'literal' ? foldedName(singularOf(last.text)) : undefined;
  return WRAPPING_WORDS.has(foldedName(name)) || foldedName(name) === named;
}

/**
 * Whether one schema has a part of what another has of the same entities: at least half of its properties, and those
 * by which the entities are known.
 */
function isPartOf(part: Schema, whole: Schema): boolean {
  if (part.identity === whole.identity) return true;
  if (!isObjectSchema(part) || !isObjectSchema(whole)) return false;
  const names = [...schemaProperties(part).keys()];
  const known = schemaProperties(whole);
  const shared = names.filter((name) => known.has(name));
  const identifiers = names.filter((name) => IDENTIFYING.test(foldedName(name)));
  const isKnown = identifiers.some((name) => known.has(name)) || identifiers.length === 0;
  return shared.length > 0 && isKnown && shared.length * 2 >= names.length;
}

const IDENTIFYING = /^(?:id|uuid|guid|sid|gid|key|name|slug|code)$/;

/** The place of the entity in the body of a write, and whether it is the only item of a list there. */
export interface BodyPlace {
  readonly bodyWrappedIn?: string;
  readonly bodyIsList?: true;
}

/**
 * The place of the entity in a request body: the only property of the body, of the entity's own schema or under the name
 * that the entity is answered in; and, in either, the only item of a list.
 */
export function bodyPlace(
  { read }: Derivation,
  operation: DocumentOperation,
  schema: Schema,
  answered: AnswerPath | undefined,
): BodyPlace {
  const body = operation.body?.schema && read(operation.body.schema);
  if (body === undefined || isSame(body, schema)) return {};
  const isItem = (held: Schema): boolean => {
    const node = isArraySchema(held) ? itemNode(held) : undefined;
    const item = node && read(node);
    return item !== undefined && isSame(item, schema);
  };
  if (isItem(body)) return { bodyIsList: true };
  const [only, ...others] = isObjectSchema(body) ? schemaProperties(body) : [];
  const held = only && read(only[1]);
  if (only === undefined || held === undefined) return {};
  const list = [...schemaProperties(body)].find(([, node]) => {
    const value = read(node);
    return value !== undefined && isItem(value);
  });
  if (list !== undefined) {
    const isAll = [...schemaProperties(body).keys()].every((name) => name === list[0] || isAboutAnswer(name));
    return isAll ? { bodyWrappedIn: list[0], bodyIsList: true } : {};
  }
  if (others.length > 0 || schemaProperties(schema).has(only[0])) return {};
  const isEntity = isSame(held, schema) || only[0] === answered?.at(-1);
  return isEntity && isObjectSchema(held) ? { bodyWrappedIn: only[0] } : {};
}
