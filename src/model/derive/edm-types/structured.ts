import { member, text } from '../../../openapi/document/document-node.ts';
import {
  isObjectSchema,
  keyword,
  ownKeyword,
  type Schema,
  schemaProperties,
} from '../../../openapi/schemas/schema.ts';
import type {
  DescribedComplexType,
  DescribedNavigationProperty,
  DescribedStructuralProperty,
  DescribedStructuredType,
} from '../../description.ts';
import type { Discriminator } from '../../edm.ts';
import { embeddedNavigation } from '../../plain-property.ts';
import { isPageOfList } from '../answers/answer-signs.ts';
import type { Derivation } from '../operations/derivation.ts';
import { undeclaredEntities } from './held-entities.ts';
import { schemaUse, type TypeNames } from './schema-use.ts';
import { type NamedProperty, namedProperties, structuralProperty } from './structural-property.ts';

export function complexType(
  derivation: Derivation,
  types: TypeNames,
  schema: Schema,
  name: string,
): DescribedComplexType {
  const { inheritance } = derivation;
  for (const derived of inheritance.derivedFrom(schema)) types.complex(derived, name);
  const base = inheritance.baseOf(schema);
  return {
    ...structure(derivation, types, schema, name, namedProperties(derivation, schema)),
    baseType: base && types.complex(base, name),
  };
}

/** All of a structured type but its base. */
export function structure(
  derivation: Derivation,
  types: TypeNames,
  schema: Schema,
  name: string,
  properties: readonly NamedProperty[],
): Omit<DescribedStructuredType, 'baseType'> {
  const structural = new Map<string, DescribedStructuralProperty>();
  const navigation = new Map<string, DescribedNavigationProperty>();
  for (const property of properties) {
    const use = schemaUse(derivation, types, property.schema, `${name} ${property.name}`);
    switch (use.kind) {
      case 'structural': {
        const isOptional = !property.required && !use.use.collection;
        const nullable = !derivation.source.strict || use.use.nullable || isOptional;
        if (use.untyped !== undefined) reportUntyped(derivation, property, use.untyped);
        if (isPageOfList(derivation, property.schema)) reportPage(derivation, property);
        structural.set(property.name, structuralProperty(derivation, property, { ...use.use, nullable }));
        break;
      }
      case 'embedded':
        navigation.set(property.name, embedded(derivation, property, use));
        break;
      case 'unmapped':
        derivation.source.report('warning', property.node.pointer, `The property is left out: ${use.reason}`);
    }
  }
  const open = isMixture(derivation, schema) || isOpen(schema);
  const entities = open ? undeclaredEntities(derivation, types, schema) : [];
  return {
    namespace: derivation.namespace,
    name,
    description: text(ownKeyword(schema, 'description')),
    structuralProperties: structural,
    navigationProperties: navigation,
    abstract: derivation.inheritance.isUnion(schema),
    open,
    ...(entities.length > 0 && { undeclaredEntities: entities }),
    discriminator: discriminatorOf(derivation, schema),
  };
}

function discriminatorOf({ inheritance }: Derivation, schema: Schema): Discriminator | undefined {
  const discriminator = inheritance.discriminator(schema);
  if (discriminator === undefined) return undefined;
  const { propertyName: upstreamName, ...values } = discriminator;
  return { upstreamName, ...values };
}

function reportUntyped({ source }: Derivation, { node }: NamedProperty, reason: string): void {
  source.report('info', node.pointer, `The property is of type Edm.Untyped: ${reason}`);
}

function reportPage({ source }: Derivation, { node }: NamedProperty): void {
  const message =
    'The property is one page of a list: what stands beside its items says whether there are more, which are not read';
  source.report('warning', node.pointer, message, 'property-is-a-page');
}

interface EmbeddedUse {
  readonly entityType: string;
  readonly collection: boolean;
  readonly nullable: boolean;
}

/** Entities within another one's JSON: they come with it and have no place of their own. */
function embedded(
  { source }: Derivation,
  { name, upstreamName, schema, required, within }: NamedProperty,
  use: EmbeddedUse,
): DescribedNavigationProperty {
  return {
    ...embeddedNavigation(name, use.entityType, use.collection),
    description: text(keyword(schema, 'description')),
    nullable: !use.collection && (!source.strict || use.nullable || !required),
    origin: { kind: 'embedded', upstreamName, ...(within && { within }) },
  };
}

/** One of several objects that nothing tells apart: what they do not have alike is in dynamic properties. */
function isMixture({ inheritance, source }: Derivation, schema: Schema): boolean {
  if (schema.alternatives.length === 0 || inheritance.isUnion(schema)) return false;
  const message =
    'Its values are of one type or another: what these do not share is read as dynamic properties';
  source.report('info', schema.identity, message);
  return true;
}

const OTHERS = ['additionalProperties', 'unevaluatedProperties', 'patternProperties'];

/**
 * Whether values may have properties that are not declared: where the document asks for others, or says
 * nothing of an object but that it is one. `additionalProperties` is not taken for granted.
 */
function isOpen(schema: Schema): boolean {
  const others = schema.layers.flatMap((layer) => OTHERS.flatMap((name) => member(layer, name) ?? []));
  if (others.some(({ value }) => value !== false)) return true;
  return others.length === 0 && isObjectSchema(schema) && schemaProperties(schema).size === 0;
}
