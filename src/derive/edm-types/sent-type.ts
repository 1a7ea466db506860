import type { DescribedTypeUse } from '../../model/description.ts';
import type { SentProperty, SentType } from '../../model/operation.ts';
import { isTrue } from '../../openapi/document/document-node.ts';
import {
  isArraySchema,
  isObjectSchema,
  itemNode,
  jsonTypes,
  keyword,
  type Schema,
  schemaProperties,
  valueNodes,
} from '../../openapi/schemas/schema.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation } from '../operations/document-operation.ts';
import { fileNames } from '../operations/request-body.ts';
import { isEnumeration, listedFlags } from './enumeration.ts';
import { facetsOf } from './facets.ts';
import { primitiveType } from './primitive-type.ts';
import {
  defaultValue,
  type NamedProperty,
  type WrittenProperty,
  writtenProperties,
} from './structural-property.ts';

/** The body schema of an operation for an entity; undefined if the document does not describe the body. */
export function sentType(
  derivation: Derivation,
  operation: DocumentOperation,
  wrappedIn: string | undefined,
): SentType | undefined {
  const body = sentSchema(derivation, operation, wrappedIn);
  return body && sentObject(derivation, body);
}

const KNOWN = new WeakMap<Derivation, Map<string, SentType>>();

/** The body schema for values that are objects or lists of objects. */
export function sentObject(derivation: Derivation, schema: Schema): SentType | undefined {
  const item = isArraySchema(schema) ? itemNode(schema) : undefined;
  const object = item === undefined ? schema : derivation.read(item);
  if (object === undefined || !isRecord(object)) return undefined;
  const types = KNOWN.get(derivation) ?? new Map<string, SentType>();
  KNOWN.set(derivation, types);
  const known = types.get(object.identity);
  if (known !== undefined) return known;
  // Types may refer to themselves, so that one is known before it is complete.
  const properties = new Map<string, SentProperty>();
  const derived = new Map<string, SentType>();
  const sent: SentType = { properties, derived };
  types.set(object.identity, sent);
  for (const property of writtenProperties(derivation, object)) {
    if (!property.schema.hidden) properties.set(property.upstreamName, sentProperty(derivation, property));
  }
  addDerived(derivation, object, derived);
  return sent;
}

function isRecord(schema: Schema): boolean {
  return isObjectSchema(schema) || schema.alternatives.length > 0;
}

function addDerived(derivation: Derivation, base: Schema, derived: Map<string, SentType>): void {
  const { derivedFrom, discriminator } = derivation.inheritance;
  for (const schema of derivedFrom(base)) {
    const { value, otherValues = [] } = discriminator(schema) ?? {};
    const sent = sentObject(derivation, schema);
    for (const each of value === undefined ? otherValues : [value, ...otherValues]) {
      if (sent !== undefined) derived.set(each, sent);
    }
    addDerived(derivation, schema, derived);
  }
}

function sentProperty(derivation: Derivation, written: WrittenProperty): SentProperty {
  const { required } = written;
  const schema = listedFlags(derivation, written.schema) ?? written.schema;
  const item = isArraySchema(schema) ? itemNode(schema) : undefined;
  const value = (item === undefined ? schema : derivation.read(item)) ?? schema;
  const primitive = isEnumeration(derivation.source, value)
    ? undefined
    : primitiveType(derivation.source, value);
  return {
    required,
    nullable: mayBeNull(derivation, value) || (!required && item === undefined),
    computed: isTrue(keyword(written.schema, 'readOnly')),
    defaultValue: defaultValue(derivation, onlyValued(schema), typeOf(derivation, schema, primitive)),
    primitiveType: primitive,
    facets: primitive === undefined ? {} : facetsOf(derivation.source, value, primitive),
    members: sentObject(derivation, value),
    ...(item === undefined && mayBeScalar(derivation, value) && { isScalar: true }),
  };
}

function mayBeScalar(derivation: Derivation, schema: Schema): boolean {
  const branches = schema.alternatives.flatMap((branch) => derivation.read(branch) ?? []);
  const all = branches.length === 0 ? [schema] : branches;
  return all.some((each) => {
    const types = jsonTypes(each).filter((type) => type !== 'null');
    return (
      types.length > 0 && types.every((type) => type === 'integer' || type === 'string' || type === 'number')
    );
  });
}

/** The schema with its only possible value as the default, if it has no default. */
function onlyValued(schema: Schema): Schema {
  const [only, ...others] = valueNodes(schema);
  const isFixed = only !== undefined && others.length === 0 && keyword(schema, 'default') === undefined;
  if (!isFixed) return schema;
  const layer = { value: { default: only.value }, pointer: only.pointer };
  return { ...schema, layers: [layer, ...schema.layers] };
}

/** Whether the document declares a value as nullable. */
export function mayBeNull({ read }: Derivation, schema: Schema): boolean {
  return schema.nullable || schema.alternatives.some((branch) => read(branch)?.nullable === true);
}

/** The type of a default value; the name of an enumeration does not matter. */
function typeOf(
  { source }: Derivation,
  schema: Schema,
  primitive: SentProperty['primitiveType'],
): Pick<DescribedTypeUse, 'type' | 'collection'> {
  const collection = isArraySchema(schema);
  if (primitive !== undefined) return { type: { kind: 'primitive', name: primitive }, collection };
  return { type: { kind: isEnumeration(source, schema) ? 'enumeration' : 'complex', name: '' }, collection };
}

/**
 * The schema of the entity in the request body of an operation; undefined if the document does not declare
 * the body.
 */
function sentSchema(
  { read }: Derivation,
  { body }: DocumentOperation,
  wrappedIn: string | undefined,
): Schema | undefined {
  const whole = body?.schema && read(body.schema);
  const inner = wrappedIn === undefined ? undefined : whole && schemaProperties(whole).get(wrappedIn);
  const sent = inner === undefined ? whole : read(inner);
  const item = sent !== undefined && isArraySchema(sent) ? itemNode(sent) : undefined;
  return item === undefined ? sent : read(item);
}

/**
 * The properties of an entity that the request body of an operation lacks, without those that the upstream
 * generates. Empty if the document does not declare the body.
 */
export function nonInsertableProperties(
  derivation: Derivation,
  operation: DocumentOperation,
  properties: readonly NamedProperty[],
  wrappedIn: string | undefined,
): readonly string[] {
  const body = sentSchema(derivation, operation, wrappedIn);
  if (body === undefined || !isObjectSchema(body) || takesOthers(body)) return [];
  const taken = schemaProperties(body);
  if (taken.size === 0) return [];
  const files = fileNames(derivation, operation);
  return properties
    .filter((property) => !hasProperty(derivation, body, property) || files.has(property.upstreamName))
    .filter(({ schema }) => !isTrue(keyword(schema, 'readOnly')))
    .map(({ name }) => name);
}

/** Whether objects of a schema have the given property of an entity at the same path. */
export function hasProperty(
  derivation: Derivation,
  schema: Schema,
  { upstreamName, within: [holder, ...deeper] = [] }: Pick<NamedProperty, 'upstreamName' | 'within'>,
): boolean {
  const properties = schemaProperties(schema);
  if (holder === undefined) return properties.has(upstreamName);
  const node = properties.get(holder);
  const held = node && derivation.read(node);
  if (held === undefined) return false;
  return takesOthers(held) || hasProperty(derivation, held, { upstreamName, within: deeper });
}

/** Whether objects of a schema may have properties that it does not name. */
function takesOthers(schema: Schema): boolean {
  const additional = keyword(schema, 'additionalProperties');
  return schema.alternatives.length > 0 || (additional !== undefined && additional.value !== false);
}
