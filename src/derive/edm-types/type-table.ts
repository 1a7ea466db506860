import type {
  DescribedComplexType,
  DescribedEntityType,
  DescribedNavigationProperty,
  DescribedStructuralProperty,
  DescribedStructuredType,
} from '../../model/description.ts';
import {
  type Discriminator,
  type EnumerationType,
  embeddedNavigation,
  type TypeDefinition,
} from '../../model/edm.ts';
import { isModelName, pascalCase, placeName, pointerName } from '../../model/names.ts';
import { isTrue, member, prose } from '../../openapi/document/document-node.ts';
import {
  componentName,
  isObjectSchema,
  keyword,
  ownKeyword,
  ownSchema,
  ownSetting,
  type Schema,
  schemaProperties,
} from '../../openapi/schemas/schema.ts';
import { isPageOfList } from '../answers/paging-of.ts';
import type { NameChoice } from '../names/unique-name.ts';
import type { Derivation } from '../operations/derivation.ts';
import { markUsed } from '../vocabulary/vocabulary.ts';
import { furtherDocumentation, labelled } from './documentation.ts';
import type { EntityPlan, EntityPlans } from './entity-plan.ts';
import { enumerationIdentity, enumerationName, enumerationType } from './enumeration.ts';
import { typeDefinition } from './facets.ts';
import { schemaUse, type TypeNames, undeclaredEntities } from './schema-use.ts';
import { mayBeNull } from './sent-type.ts';
import {
  isPromised,
  type NamedProperty,
  namedProperties,
  structuralProperty,
} from './structural-property.ts';

/** The types of one document: a type is derived when something first refers to it. */
interface TypeTable extends TypeNames {
  /** Derives everything that is referred to, and what that refers to. */
  readonly finish: () => FinishedTypes;
}

interface FinishedTypes {
  readonly entityTypes: ReadonlyMap<string, DescribedEntityType>;
  readonly complexTypes: readonly DescribedComplexType[];
  readonly enumerationTypes: readonly EnumerationType[];
  readonly typeDefinitions: readonly TypeDefinition[];
}

/** Types that are written out, and not referred to, can multiply. */
const MOST_TYPES = 10_000;

export function typeTable(derivation: Derivation, entities: EntityPlans): TypeTable {
  const queue: (() => void)[] = [];
  const names = new Map<string, string>();
  const entityTypes = new Map<string, DescribedEntityType>();
  const complexTypes: DescribedComplexType[] = [];
  const enumerationTypes: EnumerationType[] = [];
  const typeDefinitions: TypeDefinition[] = [];

  const once = (identity: string, claim: () => string | undefined, derive: (name: string) => void) => {
    const known = names.get(identity);
    if (known !== undefined || isFull(derivation, names)) return known;
    const claimed = claim();
    if (claimed === undefined) return undefined;
    names.set(identity, claimed);
    queue.push(() => derive(claimed));
    return claimed;
  };

  const table: TypeNames = {
    enumeration: (schema, suggestion, listed) =>
      once(
        enumerationIdentity(schema, listed),
        () => claimName(derivation, schema, enumerationName(schema) ?? componentName(schema) ?? suggestion),
        (name) => enumerationTypes.push(enumerationType(derivation, ownSchema(schema), name, listed)),
      ),
    definition: (schema, type) =>
      once(
        schema.identity,
        () => claimName(derivation, schema, componentName(schema) ?? ''),
        (name) => typeDefinitions.push(typeDefinition(derivation, ownSchema(schema), name, type)),
      ),
    entity: (schema) => {
      const plan = entities.get(schema.identity);
      if (plan === undefined) return undefined;
      const derive = (name: string) => entityTypes.set(name, entityType(derivation, table, plan));
      return once(schema.identity, () => plan.name, derive);
    },
    complex: (schema, suggestion) =>
      once(
        schema.identity,
        () => claimName(derivation, schema, componentName(schema) ?? suggestion, suggestion),
        (name) => complexTypes.push(complexType(derivation, table, ownSchema(schema), name)),
      ),
  };

  const finish = (): FinishedTypes => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) next();
    return { entityTypes, complexTypes, enumerationTypes, typeDefinitions };
  };
  return { ...table, finish };
}

function isFull({ source }: Derivation, names: ReadonlyMap<string, string>): boolean {
  if (names.size < MOST_TYPES) return false;
  source.report('error', '', `The document has more than ${MOST_TYPES} types`);
  return true;
}

/** Claims a name for the type of a schema; `place` names where the type is used. */
function claimName(
  derivation: Derivation,
  schema: Schema,
  suggestion: string,
  place = '',
): string | undefined {
  const wanted = pascalCase(suggestion);
  if (wanted === undefined) return undefined;
  const others = [
    isModelName(suggestion) ? suggestion : undefined,
    pointerName(schema.identity),
    placeName(schema.identity),
    pascalCase(place),
  ];
  const choice: NameChoice = [wanted, ...others.filter((name) => name !== undefined)];
  return derivation.claimTypeName(choice, schema.identity);
}

/** The entity type of a plan, with the navigation properties that its own JSON has. */
function entityType(derivation: Derivation, types: TypeNames, plan: EntityPlan): DescribedEntityType {
  const { schema, name } = plan;
  for (const derived of derivation.inheritance.derivedFrom(schema)) types.entity(derived);
  const base = derivation.inheritance.baseOf(schema);
  const aliases = plan.key.map(({ property }) => property).filter(({ aliasOf }) => aliasOf !== undefined);
  const body = structure(derivation, types, schema, name, [...plan.properties, ...aliases]);
  const key = new Map(plan.key.map(({ property }) => [property.name, property.schema]));
  const structural = [...body.structuralProperties.values()].map((property) =>
    keyProperty(derivation, property, key.get(property.name)),
  );
  return {
    key: [...key.keys()],
    ...body,
    ...(isTrue(ownKeyword(schema, 'deprecated')) && { deprecated: true }),
    structuralProperties: new Map(structural.map((property) => [property.name, property])),
    baseType: base && types.entity(base),
  };
}

/** Key properties are never null (CSDL 4.01, 6.5), even if the document declares them as nullable. */
function keyProperty(
  derivation: Derivation,
  property: DescribedStructuralProperty,
  schema: Schema | undefined,
): DescribedStructuralProperty {
  if (schema === undefined) return property;
  return { ...property, nullable: false, ...(mayBeNull(derivation, schema) && { sometimesNull: true }) };
}

function complexType(
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
function structure(
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
  markUsed(derivation.source, schema, ['ui']);
  const entities = open ? undeclaredEntities(derivation, types, schema) : [];
  return {
    namespace: derivation.namespace,
    name,
    description: prose(ownKeyword(schema, 'description')),
    ...labelled(member(ownSetting(schema, 'ui'), 'label'), ownKeyword(schema, 'title')),
    ...furtherDocumentation(ownKeyword(schema, 'externalDocs')),
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
    'The property is one page of a list: the members beside its items announce further pages, which are not read';
  source.report('warning', node.pointer, message, 'property-is-a-page');
}

interface EmbeddedUse {
  readonly entityType: string;
  readonly collection: boolean;
  readonly nullable: boolean;
}

/** Entities within another one's JSON: they come with it and have no place of their own. */
function embedded(
  derivation: Derivation,
  { name, upstreamName, schema, required, within }: NamedProperty,
  use: EmbeddedUse,
): DescribedNavigationProperty {
  const promised = isPromised(derivation, schema, required, use);
  return {
    ...embeddedNavigation(name, use.entityType, use.collection),
    description: prose(keyword(schema, 'description')),
    nullable: !use.collection && !promised,
    origin: { kind: 'embedded', upstreamName, ...(within && { within }), ...(promised && { promised }) },
  };
}

/**
 * Whether values have one of several object types without a discriminator: properties that differ become
 * dynamic.
 */
function isMixture({ inheritance, source }: Derivation, schema: Schema): boolean {
  if (schema.alternatives.length === 0 || inheritance.isUnion(schema)) return false;
  const message =
    'Its values have one of several types: properties that these do not share become dynamic properties';
  source.report('info', schema.identity, message);
  return true;
}

const OTHERS = ['additionalProperties', 'unevaluatedProperties', 'patternProperties'];

/**
 * Whether values may have undeclared properties: the document allows them explicitly, or declares an object
 * without properties. The default of `additionalProperties` does not count.
 */
function isOpen(schema: Schema): boolean {
  const others = schema.layers.flatMap((layer) => OTHERS.flatMap((name) => member(layer, name) ?? []));
  if (others.some(({ value }) => value !== false)) return true;
  return others.length === 0 && isObjectSchema(schema) && schemaProperties(schema).size === 0;
}
