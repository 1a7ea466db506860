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
import { capabilities, containerAnnotations, singletonCapabilities } from './csdl-capabilities.ts';
import { isObject, type Json, type JsonObject } from './csdl-members.ts';
import { boundPaths, isListed, isListedImport, modelFor40 } from './csdl-model.ts';
import { propertyPresentation, setPresentation, typePresentation } from './csdl-presentation.ts';
import {
  BINDING_PARAMETER,
  callableAnnotations,
  deprecation,
  description,
  entitySetPath,
  facetsOfUse,
  hierarchyAnnotations,
  links,
  parameterAnnotations,
  propertyAnnotations,
  qualifiedTypeName,
  streamAnnotations,
  typeOfUse,
} from './csdl-property.ts';
import { ALL_TERMS, type IncludesTerm } from './metadata-size.ts';
import { type CsdlForm, PUBLISHED_VOCABULARIES, VOCABULARIES, vocabularyUri } from './vocabulary-uri.ts';

/** Writes the model as CSDL JSON of the given version (CSDL JSON 4.01, section 3), with all annotations. */
export function writeCsdlJson(
  model: Model,
  version: ODataVersion = '4.01',
  vocabularies = PUBLISHED_VOCABULARIES,
): string {
  return csdlJsonText(csdlDocument(model, version, vocabularies, 'json'), vocabularies);
}

/**
 * The text of a CSDL JSON document. The types of records in annotations get the URLs of their vocabularies (CSDL JSON 4.01,
 * 14.4.12); in the text of a string, a quotation mark has a backslash before it, so only names of members match.
 */
export function csdlJsonText(document: JsonObject, vocabularies: string): string {
  const name = document['$Version'] === '4.0' ? '@odata.type' : '@type';
  return JSON.stringify(document).replaceAll(RECORD_TYPE, (_, alias: string) => {
    const uri = vocabularyUri(vocabularies, VOCABULARIES[alias] ?? alias, 'json');
    return `"${name}":"${uri}#${alias}.`;
  });
}

const RECORD_TYPE = /(?<!\\)"@type":"#(\w+)\./g;

/** The CSDL JSON document with the annotations of some terms; `form` is the format of the referenced vocabularies. */
export function csdlDocument(
  whole: Model,
  version: ODataVersion,
  vocabularies: string,
  form: CsdlForm,
  includes = ALL_TERMS,
): JsonObject {
  const model = version === '4.0' ? modelFor40(whole) : whole;
  const schemas = withTerms(schemaObjects(model), includes);
  const used = usedAliases(schemas);
  const known = Object.entries(VOCABULARIES).filter(([alias]) => used.has(alias));
  const references = known.map(([alias, namespace]) => [
    vocabularyUri(vocabularies, namespace, form),
    { $Include: [{ $Namespace: namespace, $Alias: alias }] },
  ]);
  return {
    $Version: version,
    $Reference: references.length === 0 ? undefined : Object.fromEntries(references),
    $EntityContainer: hasContainer(model) ? `${model.namespace}.${model.container}` : undefined,
    ...schemas,
  };
}

const TERM = /@(\w+\.\w+)/;

/** The elements without the annotations of other terms. Records in annotations are not looked into. */
function withTerms(object: JsonObject, includes: IncludesTerm): JsonObject {
  if (includes === ALL_TERMS) return object;
  const kept = Object.entries(object).flatMap(([name, value]): readonly (readonly [string, Json])[] => {
    if (value === undefined) return [];
    const [, term] = TERM.exec(name) ?? [];
    if (term !== undefined) return includes(term) ? [[name, value]] : [];
    if (typeof value !== 'object') return [[name, value]];
    if (!Array.isArray(value)) return [[name, withTerms(value as JsonObject, includes)]];
    return [[name, value.map((item) => (isObject(item) ? withTerms(item, includes) : item))]];
  });
  return Object.fromEntries(kept);
}

/** The aliases of the vocabularies in use. */
function usedAliases(value: Json | undefined): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (object: Json | undefined): void => {
    if (typeof object !== 'object') return;
    for (const [name, inner] of Object.entries(object)) {
      if (inner === undefined) continue;
      if (name.includes('@')) for (const [, alias = ''] of name.matchAll(/@(\w+)\./g)) found.add(alias);
      visit(inner);
    }
  };
  visit(value);
  return found;
}

function hasContainer({ entitySets, singletons, imports }: Model): boolean {
  return entitySets.size + singletons.size + imports.size > 0;
}

function schemaObjects(model: Model): JsonObject {
  const { enumerationTypes, typeDefinitions, complexTypes, entityTypes } = model;
  const overloads = Map.groupBy(model.callables, ({ namespace, name }) => `${namespace} ${name}`);
  const parts: readonly NamedPart[] = [
    ...[...enumerationTypes.values()].map((type) => namedPart(type, enumObject(type))),
    ...[...typeDefinitions.values()].map((type) => namedPart(type, definitionObject(type))),
    ...[...complexTypes.values()].map((type) => namedPart(type, complexObject(model, type))),
    ...[...entityTypes.values()].map((type) => namedPart(type, entityObject(model, type))),
    ...[...overloads].map(([key, callables]): NamedPart => {
      const [namespace = '', name = ''] = key.split(' ');
      return [namespace, name, callables.map((callable) => callableObject(model, callable))];
    }),
    ...(hasContainer(model) ? [[model.namespace, model.container, containerObject(model)] as const] : []),
  ];
  const byNamespace = Map.groupBy(parts, ([namespace]) => namespace);
  return Object.fromEntries(
    [...new Set([model.namespace, ...byNamespace.keys()])].map((namespace) => [
      namespace,
      {
        ...Object.fromEntries((byNamespace.get(namespace) ?? []).map(([, name, part]) => [name, part])),
        ...(namespace === model.namespace && { '@Core.SchemaVersion': model.schemaVersion }),
      },
    ]),
  );
}

type NamedPart = readonly [namespace: string, name: string, part: Json];

function namedPart(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  part: Json,
): NamedPart {
  return [namespace, name, part];
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
    ...callableAnnotations(callable),
  };
}

function parameterObject(parameter: CallableParameter): JsonObject {
  return {
    $Name: parameter.name,
    ...useObject(parameter),
    ...parameterAnnotations(parameter),
  };
}

function enumObject({ flags, members, ...type }: EnumerationType): JsonObject {
  const isLong = members.some(({ value }) => Math.abs(value) >= 2 ** 31);
  return {
    $Kind: 'EnumType',
    $IsFlags: flags || undefined,
    $UnderlyingType: isLong ? 'Edm.Int64' : undefined,
    ...Object.fromEntries(members.map(({ name, value }) => [name, value])),
    ...description(type),
  };
}

function definitionObject({ underlyingType, facets, ...type }: TypeDefinition): JsonObject {
  return {
    $Kind: 'TypeDefinition',
    $UnderlyingType: underlyingType,
    ...facetMembers(facets),
    ...description(type),
  };
}

type Structured = EntityType | ComplexType;

function entityObject(model: Model, type: EntityType): JsonObject {
  const { base, key, stream } = type;
  const hasOwnKey = key.length > 0 && (base === undefined || base.key.length === 0);
  return {
    $Kind: 'EntityType',
    $HasStream: stream === undefined ? undefined : true,
    $Key: hasOwnKey ? key.map((name) => keyReference(type, name)) : undefined,
    ...structuredMembers(model, type),
    ...deprecation(type.deprecated),
    ...streamAnnotations(stream),
    ...hierarchyAnnotations(type),
    ...typePresentation(model, type),
  };
}

/** CSDL JSON 4.01, 6.5: a key part given by a path has an alias. */
function keyReference({ structuralProperties }: EntityType, name: string): Json {
  const path = structuralProperties.get(name)?.aliasOf;
  return path === undefined ? name : { [name]: path.join('/') };
}

function complexObject(model: Model, type: ComplexType): JsonObject {
  return { $Kind: 'ComplexType', ...structuredMembers(model, type), '@Common.Label': type.label };
}

function structuredMembers(model: Model, type: Structured): JsonObject {
  const base: Structured | undefined = type.base;
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
    ...Object.fromEntries(
      properties.map((property) => [property.name, propertyObject(model, type, property)]),
    ),
    ...Object.fromEntries(navigation.map((property) => [property.name, navigationObject(type, property)])),
    ...description(type),
    ...links(type),
  };
}

/** A property, parameter or result; the default type is Edm.String. */
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
    // The default scale is variable in JSON, but not in XML.
    $Scale: scale === 'variable' ? undefined : scale,
  };
}

function propertyObject(model: Model, type: Structured, property: StructuralProperty): JsonObject {
  return {
    ...useObject(property),
    $DefaultValue: defaultJson(property),
    ...propertyAnnotations(property),
    ...propertyPresentation(model, type.kind === 'entity' ? type : undefined, property),
    ...('streams' in type && streamAnnotations(type.streams?.get(property.name))),
  };
}

const NUMERIC = /^Edm\.(?:Byte|SByte|Int16|Int32|Int64|Decimal|Single|Double)$/;

function defaultJson({ type, defaultValue }: StructuralProperty): Json | undefined {
  if (defaultValue === undefined) return undefined;
  if (type.name === 'Edm.Boolean') return defaultValue === 'true';
  // A number that is inexact in JSON is written as text (CSDL JSON 4.01, 7.2.7).
  const isExact = NUMERIC.test(type.name) && String(Number(defaultValue)) === defaultValue;
  return isExact ? Number(defaultValue) : defaultValue;
}

function navigationObject(owner: Structured, property: NavigationProperty): JsonObject {
  const { collection, nullable, partner, containsTarget, constraints, entityType } = property;
  const pairs = constraints.map(
    (each) =>
      [constrainedPath(owner, each.property), constrainedPath(entityType, each.referencedProperty)] as const,
  );
  const isExpressible = pairs.every((pair) => pair.every((path) => path !== undefined));
  return {
    $Kind: 'NavigationProperty',
    $Collection: collection || undefined,
    $Type: qualifiedTypeName(property.entityType),
    $Nullable: (!collection && nullable) || undefined,
    $Partner: partner?.name,
    $ContainsTarget: containsTarget || undefined,
    $ReferentialConstraint: pairs.length === 0 || !isExpressible ? undefined : Object.fromEntries(pairs),
    ...description(property),
  };
}

/** CSDL JSON 4.01, 8.5: a property of the type or of its complex properties; undefined for a key that is found otherwise. */
function constrainedPath({ structuralProperties }: Structured, name: string): string | undefined {
  const property = structuralProperties.get(name);
  if (property?.aliasOf === undefined) return name;
  const [holder = ''] = property.aliasOf;
  const isComplex = structuralProperties.get(holder)?.type.kind === 'complex';
  return property.reference === undefined && isComplex ? property.aliasOf.join('/') : undefined;
}

/** The entity container (CSDL JSON 4.01, 13). */
function containerObject(model: Model): JsonObject {
  return {
    $Kind: 'EntityContainer',
    ...containerAnnotations(model),
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
    '@Core.Description': set.description,
    ...links(set),
    ...deprecation(set.deprecated),
    ...setPresentation(set),
    ...capabilities(model, set),
  };
}

function singletonObject(model: Model, singleton: Singleton): JsonObject {
  return {
    ...resourceObject(singleton.entityType),
    ...singletonCapabilities(model, singleton),
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
