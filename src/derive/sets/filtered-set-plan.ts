import { meshName } from '../../model/mesh-name.ts';
import { foldedName, freeChoice, pascalCase, singularOf, words } from '../../model/names.ts';
import type { ListOwners, OperationParameter } from '../../model/operation.ts';
import { isKeyType } from '../../model/type-use.ts';
import { isArraySchema, itemNode, type Schema } from '../../openapi/schemas/schema.ts';
import {
  isAddressable,
  isCalledByName,
  isPartOfSet,
  isRecord,
  type ListAnswer,
  listAnswer,
  requiredParameters,
} from '../answers/list-answer.ts';
import { isGivenByPages } from '../answers/page-words.ts';
import { type EntityKey, entityKey, type KeyPart } from '../edm-types/entity-key.ts';
import { componentNames, type EntityPlan, type EntityPlanner } from '../edm-types/entity-plan.ts';
import { isEnumeration } from '../edm-types/enumeration.ts';
import { isIdentifier } from '../edm-types/identifier.ts';
import { isKeyProperty } from '../edm-types/nested-key.ts';
import { primitiveType, sharedPrimitiveType } from '../edm-types/primitive-type.ts';
import { KEY_OF_ROWS, rowKey, rowTypeNames } from '../edm-types/row-key.ts';
import { entityProperties, type NamedProperty } from '../edm-types/structural-property.ts';
import type { NameChoice } from '../names/unique-name.ts';
import type { Derivation } from '../operations/derivation.ts';
import {
  type DocumentOperation,
  type DocumentParameter,
  pathParameters,
} from '../operations/document-operation.ts';
import {
  type EntitySetPlan,
  type ItemReads,
  insertOperation,
  itemChanges,
  itemRead,
  listedChanges,
  NO_CHANGES,
  type OperationIndex,
  pathKey,
} from './entity-set-plan.ts';
import { placeInList } from './model-operation.ts';
import { entityPath } from './set-name.ts';

/** A set whose list has parameters that a caller's filter gives. */
export interface FilteredSetPlan {
  readonly plan: EntitySetPlan;
  readonly entity: EntityPlan;
  /** The parameters, and the properties that a filter fixes. */
  readonly fixed: readonly OperationParameter[];
  /** The owners whose lists are read without a filter; undefined if the filter is required. */
  readonly over?: ListOwners;
}

interface FilteredSets {
  readonly derivation: Derivation;
  readonly planner: EntityPlanner;
  readonly index: OperationIndex;
  readonly items: ItemReads;
  /** Whether rows without a key are taken, and not only entities with one. */
  readonly takesRows: boolean;
}

/**
 * The set that a list makes whose parameters nothing of the model fills: they are properties of its entities and parts
 * of their key, and a filter must say what they are. Undefined for what is no list, has no key of its own, or asks for
 * what no filter can say.
 */
export function filteredSetPlan(
  sets: FilteredSets,
  operation: DocumentOperation,
): FilteredSetPlan | undefined {
  if (unfitParameter(sets.derivation, operation) !== undefined) return undefined;
  const parameters = [...pathParameters(operation), ...requiredParameters(operation)];
  const given = parameters.map((parameter) => ({
    parameter,
    schema: valueSchema(sets.derivation, parameter),
  }));
  const planned = setPlan(sets, operation, given);
  if (planned === undefined || parameters.length === 0) return planned;
  const message = `Nothing else gives the list's parameters: a filter on the set must fix ${namesOf(planned)}`;
  sets.derivation.source.report('info', operation.node.pointer, message, 'filter-is-required');
  return planned;
}

/** The set of all that the entities of another one contain, each with the key of its owner. */
export function flatSetPlan(
  sets: FilteredSets,
  operation: DocumentOperation,
  { properties }: EntityPlan,
  over: ListOwners,
): FilteredSetPlan | undefined {
  const given = pathParameters(operation).map((parameter) => {
    const filled = over.parameters.find(({ name }) => name === meshName(parameter.name));
    const property = properties.find(({ name }) => name === filled?.property);
    // Of the type that the owner's property has, so that both can be compared.
    return { parameter, schema: property?.schema ?? valueSchema(sets.derivation, parameter) };
  });
  const planned = setPlan(sets, operation, given);
  if (planned === undefined) return undefined;
  const message = `What the entities of ${over.entitySet} contain is an entity set, too: without a filter that fixes ${namesOf(planned)}, all of their lists are read`;
  sets.derivation.source.report('info', operation.node.pointer, message, 'set-over-owners');
  return { ...planned, over };
}

function namesOf({ fixed }: FilteredSetPlan): string {
  return fixed.map(({ property }) => property).join(', ');
}

/** A parameter of a list, and the schema of the property that it is. */
interface GivenParameter {
  readonly parameter: DocumentParameter;
  readonly schema: Schema;
}

function setPlan(
  sets: FilteredSets,
  operation: DocumentOperation,
  parameters: readonly GivenParameter[],
): FilteredSetPlan | undefined {
  const { derivation, planner, index } = sets;
  const list = filterableList(derivation, operation);
  const keyed = list && keyedItems(sets, list);
  if (list === undefined || keyed === undefined) return undefined;
  const { read, whole, own, key } = keyed;
  const { rule } = key;
  const isOfRows = rule === KEY_OF_ROWS;
  // The same schema may be listed elsewhere by other parameters: each of these lists has a type of its own.
  const schema: Schema = { ...whole, identity: operation.node.pointer, variantOf: whole.identity };
  const given = parameters.map((each) => givenProperty(derivation, own, operation, each));
  const properties = withGiven(own, given);
  const typeNames = isOfRows
    ? rowTypeNamesAt(derivation, list, own)
    : variantNames(derivation, operation, given);
  if (typeNames === undefined) return undefined;
  if (isOfRows) reportRows(derivation, operation);
  const parts = given.map((property, position) => ({
    property,
    parameter: parameters[position]?.parameter.name,
  }));
  const joined = joinedKey(read, operation, parts, key.parts);
  const entity = planner.variant(schema, properties, { parts: joined, rule }, typeNames);
  const fixed = parts.map(({ property, parameter = '' }) => ({
    name: meshName(parameter),
    property: property.name,
  }));
  return { plan: planOf(derivation, index, entity, { list, read, fixed }), entity, fixed };
}

interface KeyedItems {
  readonly whole: Schema;
  readonly own: readonly NamedProperty[];
  readonly key: EntityKey;
  readonly read: DocumentOperation | undefined;
}

/** The entities of a list with their key. If the path parameters of an item are not a key, they are only listed. */
function keyedItems(sets: FilteredSets, list: ListAnswer): KeyedItems | undefined {
  const { derivation, items } = sets;
  const { read, schema } = itemRead(derivation, items, list);
  const keyed = (whole: Schema, by: DocumentOperation | undefined): KeyedItems | undefined => {
    const own = entityProperties(derivation, whole);
    const key = ownKey(derivation, whole, own, list, by);
    return key && { whole, own, key, read: by };
  };
  return keyed(schema, read) ?? (read && keyed(list.item, undefined)) ?? rowsOf(sets, list);
}

/**
 * The rows of a list without a key, with one of the gateway's. Undefined in a strict document, whose author
 * names the keys, and for rows without a property.
 */
export function rowsOf(
  { derivation, takesRows }: Pick<FilteredSets, 'derivation' | 'takesRows'>,
  { operation, item }: ListAnswer,
): KeyedItems | undefined {
  if (!takesRows) return undefined;
  const own = entityProperties(derivation, item);
  if (derivation.source.strict || own.length === 0) return undefined;
  const property = rowKey(own, operation.node);
  const key = { parts: [{ property, parameter: undefined }], rule: KEY_OF_ROWS, isIdentity: false };
  return { whole: item, own: [property, ...own], key, read: undefined };
}

/** Parameters of a list that select no rows: their order and their form. */
const OF_FORM = /^(?:sort|order|fields?|select|include|expand|embed|format|lang|locale)/i;

/**
 * Whether a list has optional parameters that are no properties of its rows, such as the period of a statistic: rows
 * without a key can then be called as a function, too.
 */
export function hasOwnParameters(
  { parameters }: DocumentOperation,
  properties: readonly NamedProperty[],
): boolean {
  const names = new Set(properties.map(({ upstreamName }) => foldedName(upstreamName)));
  return parameters.some(
    (parameter) =>
      parameter.in === 'query' &&
      !parameter.required &&
      !isGivenByPages(parameter) &&
      !OF_FORM.test(parameter.name) &&
      !names.has(foldedName(parameter.name)),
  );
}

/** Names for the type of such rows at the path of their list. What a function returns has the name of the schema. */
export function rowTypeNamesAt(
  derivation: Derivation,
  { operation, item }: ListAnswer,
  properties: readonly NamedProperty[],
): NameChoice {
  const { typeName } = entityPath(derivation, operation.segments, []);
  const taken = componentNames(derivation.source);
  const isReturned = hasOwnParameters(operation, properties);
  const isTaken = (name: string) => taken.has(foldedName(name));
  return rowTypeNames(derivation.source, item, { typeName, isReturned, isTaken });
}

/** Reports that rows have a key of the gateway's. */
export function reportRows({ source }: Derivation, { node }: DocumentOperation): void {
  const message = 'Nothing tells its entities apart: they are rows with a key that is made of their values';
  const hint = 'x-odata.key on the schema names the properties that do';
  source.report('info', node.pointer, `${message}; ${hint}`, 'rows-without-key');
}

/** The properties of the entities, the given ones in the place of those that have their names. */
function withGiven(own: readonly NamedProperty[], given: readonly NamedProperty[]): readonly NamedProperty[] {
  const byName = new Map(given.map((property) => [property.name, property]));
  const names = new Set(own.map(({ name }) => name));
  const added = given.filter(({ name }) => !names.has(name));
  return [...added, ...own.map((property) => byName.get(property.name) ?? property)];
}

/** The name of the entities at the end of the path; what fixes them besides, where another type has that. */
function variantNames(
  derivation: Derivation,
  { segments }: DocumentOperation,
  given: readonly NamedProperty[],
): NameChoice | undefined {
  const { typeName = '' } = entityPath(derivation, segments, []);
  const plain = pascalCase(typeName);
  const qualified = pascalCase(`${typeName} by ${given.map(({ name }) => name).join(' ')}`);
  if (plain === undefined || qualified === undefined) return undefined;
  return componentNames(derivation.source).has(foldedName(typeName)) ? [qualified] : [plain, qualified];
}

function filterableList(derivation: Derivation, operation: DocumentOperation): ListAnswer | undefined {
  const isRead = operation.method === 'get' && isAddressable(operation);
  if (!isRead || isCalledByName(operation) || isPartOfSet(operation)) return undefined;
  const list = listAnswer(derivation, operation);
  const isList = list?.isAll === true && !list.item.hidden && isRecord(derivation, list.item);
  return isList ? list : undefined;
}

/** A required parameter without a property, whose values are not single ones. */
export function unfitParameter(
  derivation: Derivation,
  operation: DocumentOperation,
): DocumentParameter | undefined {
  const given = [...pathParameters(operation), ...requiredParameters(operation)];
  return given.find((parameter) => !isKeyValue(derivation, parameter));
}

/** Whether the values of a parameter can be parts of a key; those of one without a schema are texts. */
function isKeyValue(derivation: Derivation, parameter: DocumentParameter): boolean {
  return isKeyType(sharedPrimitiveType(derivation, valueSchema(derivation, parameter)));
}

/** Whether several values can be given at a time. */
function takesSeveral({ read }: Derivation, { schema }: DocumentParameter): boolean {
  const values = schema && read(schema);
  return values !== undefined && isArraySchema(values);
}

/**
 * The schema of a parameter's values; of a list, of its items, since a list of one is asked for. What makes an
 * enumeration of them, which is no key, leaves them texts; numbers with fractions are decimal ones, since binary ones
 * are no key (CSDL 4.01, 6.5).
 */
function valueSchema({ read, source }: Derivation, { schema, node }: DocumentParameter): Schema {
  const pointer = `${node.pointer}/schema`;
  const whole = schema && read(schema);
  const item = whole !== undefined && isArraySchema(whole) ? itemNode(whole) : undefined;
  const found = item === undefined ? whole : read(item);
  if (found === undefined) {
    return { ...TEXT, identity: pointer, layers: [{ value: { type: 'string' }, pointer }] };
  }
  const override = isEnumeration(source, found)
    ? { enum: false }
    : BINARY.has(primitiveType(source, found) ?? '')
      ? { type: 'Edm.Decimal' }
      : undefined;
  const layer = { value: { 'x-odata': override }, pointer };
  return override === undefined ? found : { ...found, layers: [layer, ...found.layers] };
}

const BINARY: ReadonlySet<string> = new Set(['Edm.Double', 'Edm.Single']);

const TEXT: Omit<Schema, 'identity' | 'layers'> = {
  nullable: false,
  parts: [],
  alternatives: [],
  discriminated: false,
  hidden: false,
};

/**
 * The property of the entities that a parameter is: one that they have by that name, or else one that is added. What a
 * path says has the value that they were asked for by, whatever the upstream repeats of it.
 */
function givenProperty(
  derivation: Derivation,
  own: readonly NamedProperty[],
  operation: DocumentOperation,
  { parameter, schema }: GivenParameter,
): NamedProperty {
  const { written, owner } = parameterNames(operation, parameter);
  const known = own.find(({ name }) => foldedName(name) === foldedName(written));
  if (known !== undefined && isKeyProperty(derivation, known)) {
    if (parameter.in !== 'path') return known;
    if (isOfOwner(written, owner)) return { ...known, schema, required: true, argument: true };
  }
  const taken = new Set(own.map(({ name }) => name));
  const plain = pascalCase(written) ?? 'Parameter';
  const qualified = pascalCase(`${owner} ${written}`) ?? plain;
  const choice = GENERIC.test(written) ? [qualified, plain] : [plain, qualified];
  const [first = plain, ...others] = [...new Set([...choice, `${plain}Id`, `${plain}Parameter`])];
  const name = freeChoice([first, ...others], taken);
  // What the entities have by its name upstream is something else.
  const upstreamName = own.some((property) => property.upstreamName === written) ? name : written;
  return { name, upstreamName, node: parameter.node, schema, required: true, argument: true };
}

/** Names that say nothing of whose they are: what the entities themselves have by these is their own. */
const GENERIC = /^(?:name|key|slug|code|number|login|handle|title|path|type)$/i;

/** Whether the name of a parameter says whose it is: `book_id`, or `customer` behind `customers`. */
function isOfOwner(written: string, owner: string): boolean {
  return words(written).length > 1 || (owner !== '' && foldedName(written).includes(foldedName(owner)));
}

interface ParameterNames {
  /** `id` behind `artists` is `artist id`: by itself, it would say nothing of what it identifies. */
  readonly written: string;
  /** The preceding path segment, in the singular. */
  readonly owner: string;
}

function parameterNames(
  { segments }: DocumentOperation,
  { name, in: place }: DocumentParameter,
): ParameterNames {
  const index = segments.findIndex((segment) => segment.kind === 'parameter' && segment.name === name);
  const before = place === 'path' ? segments[index - 1] : undefined;
  const owner = before === undefined ? '' : before.kind === 'literal' ? singularOf(before.text) : before.name;
  return { written: owner !== '' && isIdentifier(name) ? `${owner} ${name}` : name, owner };
}

/** The key that the entities have among those of one list. */
function ownKey(
  derivation: Derivation,
  schema: Schema,
  properties: readonly NamedProperty[],
  { operation }: ListAnswer,
  read: DocumentOperation | undefined,
): EntityKey | undefined {
  const behind = read?.segments.slice(operation.segments.length) ?? [];
  const path = entityPath(derivation, operation.segments, behind);
  const demanded = requiredParameters(operation).filter((parameter) => !takesSeveral(derivation, parameter));
  const keyed = { ...path, demanded: demanded.map(({ name }) => name) };
  return entityKey(derivation, schema, properties, keyed, (read ?? operation).node);
}

/** Both, each property once, with the parameters' names as the path of one entity has them. */
function joinedKey(
  read: DocumentOperation | undefined,
  list: DocumentOperation,
  given: readonly KeyPart[],
  own: readonly KeyPart[],
): readonly KeyPart[] {
  const listed = pathParameters(list).map(({ name }) => name);
  const names = read === undefined ? listed : pathParameters(read).map(({ name }) => name);
  const renamed = given.map(({ property, parameter = '' }) => ({
    property,
    parameter: names[listed.indexOf(parameter)],
  }));
  const added = own.filter(({ property }) => !given.some((part) => part.property.name === property.name));
  return [...renamed, ...added];
}

interface ListedEntities {
  readonly list: ListAnswer;
  readonly read: DocumentOperation | undefined;
  readonly fixed: readonly OperationParameter[];
}

function planOf(
  derivation: Derivation,
  index: OperationIndex,
  entity: EntityPlan,
  { list, read, fixed }: ListedEntities,
): EntitySetPlan {
  const { schema, name } = entity;
  const { operation } = list;
  const { change, remove, all } =
    entity.keyRule === KEY_OF_ROWS
      ? NO_CHANGES
      : read === undefined
        ? listedChanges(derivation, index, placeInList(name, entity, operation), schema)
        : itemChanges(derivation, index, read, schema);
  const post = entity.keyRule === KEY_OF_ROWS ? undefined : index.get(pathKey(operation))?.get('post');
  const isGiven = post !== undefined && fixedParameters(post, fixed) !== undefined;
  const insert = isGiven ? insertOperation(derivation, post, schema) : undefined;
  return {
    schema,
    list,
    read,
    insert,
    change,
    delete: remove,
    operations: [operation, read, insert, ...all].filter((each) => each !== undefined),
    at: operation.node,
    segments: operation.segments,
  };
}

/** The parameters of another operation that the fixed properties fill; undefined if it needs more. */
export function fixedParameters(
  operation: DocumentOperation,
  fixed: readonly OperationParameter[],
): readonly OperationParameter[] | undefined {
  const wanted = [...pathParameters(operation), ...requiredParameters(operation)];
  const found = wanted.map(({ name }) => fixed.find((each) => each.name === meshName(name)));
  const given = found.filter((each) => each !== undefined);
  return given.length === wanted.length ? given : undefined;
}
