import type {
  ComplexType,
  EntityType,
  EnumerationType,
  NavigationProperty,
  StructuralProperty,
  TypeDefinition,
  TypeUse,
} from '../../../model/edm.ts';
import type { Facets } from '../../../model/type-use.ts';
import { hierarchyAnnotations } from './csdl-hierarchies.ts';
import { annotations, type Json, type JsonObject } from './csdl-json-annotation.ts';
import { ownStreamAnnotations, streamPropertyAnnotations } from './csdl-media-types.ts';
import { description, propertyAnnotations } from './csdl-property.ts';
import { facetsOfUse, qualifiedTypeName, typeOfUse } from './csdl-type.ts';

export function enumObject({ flags, members, ...type }: EnumerationType): JsonObject {
  const isLong = members.some(({ value }) => Math.abs(value) >= 2 ** 31);
  return {
    $Kind: 'EnumType',
    $IsFlags: flags || undefined,
    $UnderlyingType: isLong ? 'Edm.Int64' : undefined,
    ...Object.fromEntries(members.map(({ name, value }) => [name, value])),
    ...annotations(description(type)),
  };
}

export function definitionObject({ underlyingType, facets, ...type }: TypeDefinition): JsonObject {
  return {
    $Kind: 'TypeDefinition',
    $UnderlyingType: underlyingType,
    ...facetMembers(facets),
    ...annotations(description(type)),
  };
}

type Structured = EntityType | ComplexType;

export function complexObject(type: ComplexType): JsonObject {
  const { base } = type;
  return { $Kind: 'ComplexType', ...structuredObject(type, base) };
}

export function entityObject(type: EntityType): JsonObject {
  const { base } = type;
  const hasOwnKey = type.key.length > 0 && (base === undefined || base.key.length === 0);
  return {
    $Kind: 'EntityType',
    $HasStream: type.stream === undefined ? undefined : true,
    $Key: hasOwnKey ? type.key.map((name) => keyReference(type, name)) : undefined,
    ...structuredObject(type, base),
  };
}

/** CSDL JSON 4.01, 6.5: a path has an alias. */
function keyReference({ structuralProperties }: EntityType, name: string): Json {
  const path = structuralProperties.get(name)?.aliasOf;
  return path === undefined ? name : { [name]: path.join('/') };
}

function structuredObject(type: Structured, base: Structured | undefined): JsonObject {
  const properties = [...type.structuralProperties.values()].filter(
    ({ name, aliasOf }) => aliasOf === undefined && base?.structuralProperties.has(name) !== true,
  );
  const navigation = [...type.navigationProperties.values()].filter(
    ({ name }) => base?.navigationProperties.has(name) !== true,
  );
  return {
    $BaseType: base && `${base.namespace}.${base.name}`,
    $Abstract: type.abstract || undefined,
    $OpenType: type.open || undefined,
    ...Object.fromEntries(properties.map((property) => [property.name, propertyObject(type, property)])),
    ...Object.fromEntries(navigation.map((property) => [property.name, navigationObject(property)])),
    ...annotations([
      ...description(type),
      ...ownStreamAnnotations(type),
      ...('key' in type ? hierarchyAnnotations(type) : []),
    ]),
  };
}

/** A property, a parameter or a result: Edm.String goes without saying. */
export function useObject(use: TypeUse): JsonObject {
  const type = typeOfUse(use);
  return {
    $Collection: use.collection || undefined,
    $Type: type === 'Edm.String' ? undefined : type,
    $Nullable: use.nullable || undefined,
    ...facetMembers(facetsOfUse(use)),
  };
}

function facetMembers({ maxLength, precision, scale }: Facets): JsonObject {
  return {
    $MaxLength: maxLength,
    $Precision: precision,
    // Any number of decimals is what JSON takes for granted, other than XML.
    $Scale: scale === 'variable' ? undefined : scale,
  };
}

function propertyObject(type: Structured, property: StructuralProperty): JsonObject {
  return {
    ...useObject(property),
    $DefaultValue: defaultJson(property),
    ...annotations([...propertyAnnotations(property), ...streamPropertyAnnotations(type, property.name)]),
  };
}

const NUMERIC = /^Edm\.(?:Byte|SByte|Int16|Int32|Int64|Decimal|Single|Double)$/;

function defaultJson({ type, defaultValue }: StructuralProperty): Json | undefined {
  if (defaultValue === undefined) return undefined;
  if (type.name === 'Edm.Boolean') return defaultValue === 'true';
  return NUMERIC.test(type.name) ? Number(defaultValue) : defaultValue;
}

function navigationObject(property: NavigationProperty): JsonObject {
  const { collection, nullable, partner, containsTarget, constraints } = property;
  const pairs = constraints.map(
    ({ property: own, referencedProperty }) => [own, referencedProperty] as const,
  );
  return {
    $Kind: 'NavigationProperty',
    $Collection: collection || undefined,
    $Type: qualifiedTypeName(property.entityType),
    $Nullable: (!collection && nullable) || undefined,
    $Partner: partner?.name,
    $ContainsTarget: containsTarget || undefined,
    $ReferentialConstraint: pairs.length === 0 ? undefined : Object.fromEntries(pairs),
    ...annotations(description(property)),
  };
}
