import type { OperationParameter } from '../../operation.ts';
import type { Derivation } from '../derivation.ts';
import { member, members } from '../document/document-node.ts';
import {
  type DocumentOperation,
  type DocumentParameter,
  pathParameters,
} from '../document/document-operation.ts';
import { isEnumeration } from '../edm-types/enumeration.ts';
import { isKeyType, primitiveType } from '../edm-types/primitive-type.ts';
import { type NamedProperty, namedProperties } from '../edm-types/structural-property.ts';
import { meshName } from '../mesh-name.ts';
import { freeChoice, pascalCase, singularOf, styleless } from '../names.ts';
import type { Schema } from '../schemas/schema.ts';
import { entityKey, isIdentifier, isKeyProperty, type KeyPart } from './entity-key.ts';
import type { EntityPlan, EntityPlanner } from './entity-plan.ts';
import {
  type EntitySetPlan,
  type ItemReads,
  itemChanges,
  itemRead,
  type OperationIndex,
} from './entity-set-plan.ts';
import {
  isAddressable,
  isCalledByName,
  isPartOfSet,
  isRecord,
  type ListAnswer,
  listAnswer,
  requiredParameters,
} from './list-answer.ts';
import { entityPath } from './set-name.ts';

/** A set whose list has parameters that only a caller's filter can give. */
export interface FilteredSetPlan {
  readonly plan: EntitySetPlan;
  readonly entity: EntityPlan;
  /** The parameters, and the properties that a filter must fix. */
  readonly fixed: readonly OperationParameter[];
}

interface FilteredSets {
  readonly derivation: Derivation;
  readonly planner: EntityPlanner;
  readonly index: OperationIndex;
  readonly items: ItemReads;
}

/**
 * The set that a list makes whose parameters nothing of the model fills: they are properties of its entities and parts
 * of their key, and a filter must say what they are. Undefined for what is no list, has no key of its own, or asks for
 * what no filter can say.
 */
export function filteredSetPlan(
  { derivation, planner, index, items }: FilteredSets,
  operation: DocumentOperation,
): FilteredSetPlan | undefined {
  const parameters = givenParameters(derivation, operation);
  const list = parameters === undefined ? undefined : filterableList(derivation, operation);
  if (list === undefined || parameters === undefined) return undefined;
  const { read, schema: whole } = itemRead(derivation, items, list);
  // The same schema may be listed elsewhere by other parameters: each of these lists has a type of its own.
  const schema: Schema = { ...whole, identity: operation.node.pointer };
  const own = namedProperties(derivation, whole);
  const given = parameters.map((parameter) => givenProperty(derivation, own, operation, parameter));
  const properties = [...given.filter((property) => !own.includes(property)), ...own];
  const key = ownKey(derivation, whole, own, list, read);
  const typeName = variantName(derivation, operation, given);
  if (key === undefined || typeName === undefined) return undefined;
  const parts = given.map((property, position) => ({ property, parameter: parameters[position]?.name }));
  const entity = planner.variant(schema, properties, joinedKey(read, operation, parts, key), typeName);
  const fixed = parts.map(({ property, parameter = '' }) => ({
    name: meshName(parameter),
    property: property.name,
  }));
  report(derivation, operation, fixed);
  return { plan: planOf(derivation, index, schema, list, read), entity, fixed };
}

/** The name of the entities at the end of the path; what fixes them besides, where a schema of the document has that. */
function variantName(
  { pathPrefix, source }: Derivation,
  { segments }: DocumentOperation,
  given: readonly NamedProperty[],
): string | undefined {
  const { typeName = '' } = entityPath({ pathPrefix }, segments, []);
  const components = members(member(member(source.root, 'components'), 'schemas'));
  const isTaken = components.some(([name]) => styleless(name) === styleless(typeName));
  return isTaken
    ? pascalCase(`${typeName} by ${given.map(({ name }) => name).join(' ')}`)
    : pascalCase(typeName);
}

function filterableList(derivation: Derivation, operation: DocumentOperation): ListAnswer | undefined {
  const isRead = operation.method === 'get' && isAddressable(operation);
  if (!isRead || isCalledByName(operation) || isPartOfSet(operation)) return undefined;
  const list = listAnswer(derivation, operation);
  const isList = list?.isAll === true && !list.item.hidden && isRecord(derivation, list.item);
  return isList ? list : undefined;
}

/** The parameters that must be given; undefined where there are none, or one that is no value of a property. */
function givenParameters(
  derivation: Derivation,
  operation: DocumentOperation,
): readonly DocumentParameter[] | undefined {
  const given = [...pathParameters(operation), ...requiredParameters(operation)];
  const isFit = given.every((parameter) => parameter.in !== 'header' && isKeyValue(derivation, parameter));
  return isFit && given.length > 0 ? given : undefined;
}

/** Whether the values of a parameter can be parts of a key; those of one without a schema are texts. */
function isKeyValue(derivation: Derivation, parameter: DocumentParameter): boolean {
  return isKeyType(primitiveType(derivation.source, valueSchema(derivation, parameter)));
}

/** The schema of a parameter's values. What makes an enumeration of them, which is no key, leaves them texts. */
function valueSchema({ read, source }: Derivation, { schema, node }: DocumentParameter): Schema {
  const pointer = `${node.pointer}/schema`;
  const found = schema && read(schema);
  if (found === undefined) {
    return { ...TEXT, identity: pointer, layers: [{ value: { type: 'string' }, pointer }] };
  }
  const plain = { value: { 'x-odata': { enum: false } }, pointer };
  return isEnumeration(source, found) ? { ...found, layers: [plain, ...found.layers] } : found;
}

const TEXT: Omit<Schema, 'identity' | 'layers'> = {
  nullable: false,
  parts: [],
  alternatives: [],
  discriminated: false,
  hidden: false,
};

/** The property of the entities that a parameter is: one that they have by that name, or else one that is added. */
function givenProperty(
  derivation: Derivation,
  own: readonly NamedProperty[],
  operation: DocumentOperation,
  parameter: DocumentParameter,
): NamedProperty {
  const written = qualifiedName(operation, parameter);
  const known = own.find(({ name }) => styleless(name) === styleless(written));
  if (known !== undefined && isKeyProperty(derivation.source, known)) return known;
  const schema = valueSchema(derivation, parameter);
  const taken = new Set(own.map(({ name }) => name));
  const plain = pascalCase(written) ?? 'Parameter';
  const name = freeChoice([plain, `${plain}Id`, `${plain}Parameter`], taken);
  return { name, upstreamName: written, node: parameter.node, schema, required: true, argument: true };
}

/** `id` behind `artists` is `artist id`: by itself, it would say nothing of what it identifies. */
function qualifiedName({ segments }: DocumentOperation, { name, in: place }: DocumentParameter): string {
  if (place !== 'path' || !isIdentifier(name)) return name;
  const index = segments.findIndex((segment) => segment.kind === 'parameter' && segment.name === name);
  const before = segments[index - 1];
  if (before === undefined) return name;
  return `${before.kind === 'literal' ? singularOf(before.text) : before.name} ${name}`;
}

/** The key that the entities have among those of one list. */
function ownKey(
  derivation: Derivation,
  schema: Schema,
  properties: readonly NamedProperty[],
  { operation }: ListAnswer,
  read: DocumentOperation | undefined,
): readonly KeyPart[] | undefined {
  const behind = read?.segments.slice(operation.segments.length) ?? [];
  const path = entityPath(derivation, operation.segments, behind);
  return entityKey(derivation, schema, properties, path, (read ?? operation).node);
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

function planOf(
  derivation: Derivation,
  index: OperationIndex,
  schema: Schema,
  list: ListAnswer,
  read: DocumentOperation | undefined,
): EntitySetPlan {
  const { update, remove, all } = itemChanges(derivation, index, read, schema);
  const { operation } = list;
  return {
    schema,
    list,
    read,
    insert: undefined,
    update,
    delete: remove,
    operations: [operation, read, ...all].filter((each) => each !== undefined),
    at: operation.node,
    segments: operation.segments,
  };
}

function report(
  { source }: Derivation,
  { node }: DocumentOperation,
  fixed: readonly OperationParameter[],
): void {
  const names = fixed.map(({ property }) => property).join(', ');
  const message = `Nothing else gives the list's parameters: a filter on the set must fix ${names}`;
  source.report('info', node.pointer, message, 'filter-is-required');
}
