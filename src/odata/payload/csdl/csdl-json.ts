import type {
  Callable,
  CallableImport,
  CallableParameter,
  ComplexType,
  EntitySet,
  EntityType,
  EnumerationType,
  NavigationProperty,
  Singleton,
  StructuralProperty,
  TypeDefinition,
  TypeUse,
} from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import type { Facets } from '../../../model/type-use.ts';
import type { ODataVersion } from '../negotiation/format.ts';
import {
  type Annotation,
  type AnnotationValue,
  PUBLISHED_VOCABULARIES,
  VOCABULARIES,
  type VocabularyAlias,
  vocabularyUri,
} from './csdl-annotation.ts';
import {
  capabilities,
  containerAnnotations,
  schemaAnnotations,
  singletonCapabilities,
} from './csdl-capabilities.ts';
import { boundPaths, isListed, isListedImport, modelFor40 } from './csdl-model.ts';
import {
  BINDING_PARAMETER,
  callableAnnotations,
  description,
  entitySetPath,
  facetsOfUse,
  hierarchyAnnotations,
  ownStreamAnnotations,
  parameterAnnotations,
  propertyAnnotations,
  qualifiedTypeName,
  streamPropertyAnnotations,
  typeOfUse,
} from './csdl-property.ts';

/** Writes the model as an OData CSDL JSON document of that version (CSDL JSON 4.01, section 3). */
export function writeCsdlJson(
  whole: Model,
  version: ODataVersion = '4.01',
  vocabularies = PUBLISHED_VOCABULARIES,
): string {
  const model = version === '4.0' ? modelFor40(whole) : whole;
  const schemas = schemaObjects(model);
  const aliases = (Object.keys(VOCABULARIES) as VocabularyAlias[]).filter((alias) =>
    isUsed(schemas, `@${alias}.`),
  );
  const references = aliases.map((alias) => {
    const namespace = VOCABULARIES[alias];
    return [
      vocabularyUri(vocabularies, namespace, 'json'),
      { $Include: [{ $Namespace: namespace, $Alias: alias }] },
    ] as const;
  });
  return JSON.stringify({
    $Version: version,
    $Reference: references.length === 0 ? undefined : Object.fromEntries(references),
    ...(hasContainer(model) ? { $EntityContainer: `${model.namespace}.${model.container}` } : {}),
    ...schemas,
  });
}

function isUsed(value: Json | undefined, prefix: string): boolean {
  if (typeof value !== 'object') return false;
  return Object.entries(value).some(([name, inner]) => name.includes(prefix) || isUsed(inner, prefix));
}

function hasContainer({ entitySets, singletons, imports }: Model): boolean {
  return entitySets.size + singletons.size + imports.size > 0;
}

function schemaObjects(model: Model): JsonObject {
  const overloads = Map.groupBy(model.callables, ({ namespace, name }) => `${namespace} ${name}`);
  const parts: readonly (readonly [string, string, Json])[] = [
    ...[...model.enumerationTypes.values()].map(
      (type) => [type.namespace, type.name, enumObject(type)] as const,
    ),
    ...[...model.typeDefinitions.values()].map(
      (type) => [type.namespace, type.name, definitionObject(type)] as const,
    ),
    ...[...model.complexTypes.values()].map(
      (type) => [type.namespace, type.name, complexObject(type)] as const,
    ),
    ...[...model.entityTypes.values()].map(
      (type) => [type.namespace, type.name, entityObject(type)] as const,
    ),
    ...[...overloads].map(([key, callables]) => {
      const [namespace = '', name = ''] = key.split(' ');
      return [namespace, name, callables.map((callable) => callableObject(model, callable))] as const;
    }),
    ...(hasContainer(model) ? [[model.namespace, model.container, containerObject(model)] as const] : []),
  ];
  const byNamespace = Map.groupBy(parts, ([namespace]) => namespace);
  return Object.fromEntries(
    [...new Set([model.namespace, ...byNamespace.keys()])].map((namespace) => [
      namespace,
      {
        ...Object.fromEntries((byNamespace.get(namespace) ?? []).map(([, name, part]) => [name, part])),
        ...annotations(namespace === model.namespace ? schemaAnnotations(model) : []),
      },
    ]),
  );
}

function callableObject(model: Model, callable: Callable): JsonObject {
  const { kind, binding, parameters, returns } = callable;
  const bound: readonly JsonObject[] =
    binding === undefined
      ? []
      : [
          {
            $Name: BINDING_PARAMETER,
            $Collection: binding.collection || undefined,
            $Type: qualifiedTypeName(binding.entityType),
          },
        ];
  const all = [...bound, ...parameters.map((parameter) => parameterObject(parameter))];
  return {
    $Kind: kind === 'function' ? 'Function' : 'Action',
    $IsBound: binding === undefined ? undefined : true,
    $EntitySetPath: entitySetPath(model, callable),
    $Parameter: all.length === 0 ? undefined : all,
    $ReturnType: returns && useObject(returns),
    ...annotations(callableAnnotations(callable)),
  };
}

function parameterObject(parameter: CallableParameter): JsonObject {
  return {
    $Name: parameter.name,
    ...useObject(parameter),
    ...annotations(parameterAnnotations(parameter)),
  };
}

function enumObject({ flags, members, ...type }: EnumerationType): JsonObject {
  const isLong = members.some(({ value }) => Math.abs(value) >= 2 ** 31);
  return {
    $Kind: 'EnumType',
    $IsFlags: flags || undefined,
    $UnderlyingType: isLong ? 'Edm.Int64' : undefined,
    ...Object.fromEntries(members.map(({ name, value }) => [name, value])),
    ...annotations(description(type)),
  };
}

function definitionObject({ underlyingType, facets, ...type }: TypeDefinition): JsonObject {
  return {
    $Kind: 'TypeDefinition',
    $UnderlyingType: underlyingType,
    ...facetMembers(facets),
    ...annotations(description(type)),
  };
}

type Structured = EntityType | ComplexType;

function complexObject(type: ComplexType): JsonObject {
  const { base } = type;
  return { $Kind: 'ComplexType', ...structuredObject(type, base) };
}

function entityObject(type: EntityType): JsonObject {
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
function useObject(use: TypeUse): JsonObject {
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

/** The entity container (CSDL JSON 4.01, 13). */
function containerObject(model: Model): JsonObject {
  return {
    $Kind: 'EntityContainer',
    ...annotations(containerAnnotations(model)),
    ...Object.fromEntries(
      [...model.entitySets.values()].map((set) => [set.name, entitySetObject(model, set)]),
    ),
    ...Object.fromEntries(
      [...model.singletons.values()].map((singleton) => [singleton.name, singletonObject(model, singleton)]),
    ),
    ...Object.fromEntries([...model.imports.values()].map((each) => [each.name, importObject(model, each)])),
  };
}

function entitySetObject(model: Model, set: EntitySet): JsonObject {
  return {
    $Collection: true,
    ...resourceObject(set.entityType),
    $IncludeInServiceDocument: isListed(set) ? undefined : false,
    ...annotations(capabilities(model, set)),
  };
}

function singletonObject(model: Model, singleton: Singleton): JsonObject {
  return {
    ...resourceObject(singleton.entityType),
    ...annotations(singletonCapabilities(model, singleton)),
  };
}

function resourceObject(type: EntityType): JsonObject {
  const bindings = boundPaths(type);
  return {
    $Type: qualifiedTypeName(type),
    $NavigationPropertyBinding: bindings.length === 0 ? undefined : Object.fromEntries(bindings),
  };
}

function importObject(model: Model, each: CallableImport): JsonObject {
  const { kind, callable, entitySet } = each;
  const namespace = model.callables.find(({ name }) => name === callable)?.namespace ?? model.namespace;
  const reference = `${namespace}.${callable}`;
  if (kind === 'action') return { $Action: reference, $EntitySet: entitySet?.name };
  return {
    $Function: reference,
    $EntitySet: entitySet?.name,
    $IncludeInServiceDocument: isListedImport(model, each) || undefined,
  };
}

export type Json = string | number | boolean | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** Annotations as members; one of an annotation has the name of both. */
function annotations(list: readonly Annotation[], prefix = ''): JsonObject {
  return Object.fromEntries(
    list.flatMap(({ vocabulary, term, qualifier, value, annotations: inner }) => {
      const name = `${prefix}@${vocabulary}.${term}${qualifier === undefined ? '' : `#${qualifier}`}`;
      return [[name, annotationJson(value)] as const, ...Object.entries(annotations(inner, name))];
    }),
  );
}

function annotationJson(value: AnnotationValue): Json {
  switch (value.kind) {
    case 'string':
    case 'bool':
    case 'decimal':
    case 'int':
      return value.value;
    case 'enumeration':
      return value.members.join();
    case 'path':
    case 'navigationPath':
      return value.path;
    case 'collection':
      return value.items.map(annotationJson);
    case 'record':
      return Object.fromEntries(
        Object.entries(value.properties).map(([name, inner]) => [name, annotationJson(inner)]),
      );
  }
}
