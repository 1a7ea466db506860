import type { EntitySet, EntityType, Model, Singleton } from '../../model/edm.ts';
import type { Callable, CallableImport, CallableParameter } from '../../model/operation.ts';
import type {
  ComplexType,
  EnumerationType,
  NavigationProperty,
  StructuralProperty,
} from '../../model/structured-type.ts';
import type { TypeUse } from '../../model/type-use.ts';
import {
  type Annotation,
  type AnnotationValue,
  annotation,
  record,
  VOCABULARIES,
  type VocabularyAlias,
} from './csdl-annotation.ts';
import { BINDING_PARAMETER } from './csdl-callable.ts';
import { capabilities, containerAnnotations, singletonCapabilities } from './csdl-capabilities.ts';
import { description, propertyAnnotations } from './csdl-property.ts';
import { qualifiedTypeName } from './csdl-type.ts';

type Json = string | number | boolean | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** Writes the model as an OData CSDL JSON document (CSDL JSON 4.01, section 3), which is always 4.01. */
export function writeCsdlJson(model: Model): string {
  const schemas = schemaObjects(model);
  const aliases = (Object.keys(VOCABULARIES) as VocabularyAlias[]).filter((alias) =>
    isUsed(schemas, `@${alias}.`),
  );
  const references = aliases.map((alias) => {
    const { namespace, uri } = VOCABULARIES[alias];
    return [
      uri.replace(/\.xml$/, '.json'),
      { $Include: [{ $Namespace: namespace, $Alias: alias }] },
    ] as const;
  });
  return JSON.stringify({
    $Version: '4.01',
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
    ...[...model.complexTypes.values()].map(
      (type) => [type.namespace, type.name, complexObject(model, type)] as const,
    ),
    ...[...model.entityTypes.values()].map(
      (type) => [type.namespace, type.name, entityObject(model, type)] as const,
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
      Object.fromEntries((byNamespace.get(namespace) ?? []).map(([, name, part]) => [name, part])),
    ]),
  );
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

type Structured = EntityType | ComplexType;

function complexObject(model: Model, type: ComplexType): JsonObject {
  const base = type.baseType === undefined ? undefined : model.complexTypes.get(type.baseType);
  return { $Kind: 'ComplexType', ...structuredObject(model, type, base) };
}

function entityObject(model: Model, type: EntityType): JsonObject {
  const base = type.baseType === undefined ? undefined : model.entityTypes.get(type.baseType);
  const hasOwnKey = type.key.length > 0 && (base === undefined || base.key.length === 0);
  return {
    $Kind: 'EntityType',
    $HasStream: type.stream === undefined ? undefined : true,
    $Key: hasOwnKey ? type.key : undefined,
    ...structuredObject(model, type, base),
  };
}

function structuredObject(model: Model, type: Structured, base: Structured | undefined): JsonObject {
  const properties = [...type.structuralProperties.values()].filter(
    ({ name }) => base?.structuralProperties.has(name) !== true,
  );
  const navigation = [...type.navigationProperties.values()].filter(
    ({ name }) => base?.navigationProperties.has(name) !== true,
  );
  return {
    $BaseType: base && `${base.namespace}.${base.name}`,
    $Abstract: type.abstract || undefined,
    $OpenType: type.open || undefined,
    ...Object.fromEntries(properties.map((property) => [property.name, propertyObject(model, property)])),
    ...Object.fromEntries(navigation.map((property) => [property.name, navigationObject(model, property)])),
    ...annotations(description(type)),
  };
}

/** A property, a parameter or a result: Edm.String goes without saying. */
function useObject(model: Model, use: TypeUse): JsonObject {
  const { facets } = use;
  const type = qualifiedTypeName(model, use.type);
  return {
    $Collection: use.collection || undefined,
    $Type: type === 'Edm.String' ? undefined : type,
    $Nullable: use.nullable || undefined,
    $MaxLength: facets.maxLength,
    $Precision: facets.precision,
    // Any number of decimals is what JSON takes for granted, other than XML.
    $Scale: facets.scale === 'variable' ? undefined : facets.scale,
  };
}

function propertyObject(model: Model, property: StructuralProperty): JsonObject {
  return {
    ...useObject(model, property),
    $DefaultValue: defaultJson(property),
    ...annotations(propertyAnnotations(property)),
  };
}

const NUMERIC = /^Edm\.(?:Byte|SByte|Int16|Int32|Int64|Decimal|Single|Double)$/;

function defaultJson({ type, defaultValue }: StructuralProperty): Json | undefined {
  if (defaultValue === undefined) return undefined;
  if (type.name === 'Edm.Boolean') return defaultValue === 'true';
  return NUMERIC.test(type.name) ? Number(defaultValue) : defaultValue;
}

function navigationObject(model: Model, property: NavigationProperty): JsonObject {
  const { collection, nullable, partner, containsTarget, constraints } = property;
  const pairs = constraints.map(
    ({ property: own, referencedProperty }) => [own, referencedProperty] as const,
  );
  return {
    $Kind: 'NavigationProperty',
    $Collection: collection || undefined,
    $Type: qualifiedTypeName(model, { kind: 'entity', name: property.entityType }),
    $Nullable: (!collection && nullable) || undefined,
    $Partner: partner,
    $ContainsTarget: containsTarget || undefined,
    $ReferentialConstraint: pairs.length === 0 ? undefined : Object.fromEntries(pairs),
    ...annotations(description(property)),
  };
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
            $Type: qualifiedTypeName(model, { kind: 'entity', name: binding.entityType }),
          },
        ];
  const all = [...bound, ...parameters.map((parameter) => parameterObject(model, parameter))];
  return {
    $Kind: kind === 'function' ? 'Function' : 'Action',
    $IsBound: binding === undefined ? undefined : true,
    $Parameter: all.length === 0 ? undefined : all,
    $ReturnType: returns && useObject(model, returns),
    ...annotations(description(callable)),
  };
}

function parameterObject(model: Model, parameter: CallableParameter): JsonObject {
  const optional = parameter.optional ? [annotation('Core', 'OptionalParameter', record({}))] : [];
  return {
    $Name: parameter.name,
    ...useObject(model, parameter),
    ...annotations([...description(parameter), ...optional]),
  };
}

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
    ...resourceObject(model, set.entityType),
    ...annotations(capabilities(model, set)),
  };
}

function singletonObject(model: Model, singleton: Singleton): JsonObject {
  return {
    ...resourceObject(model, singleton.entityType),
    ...annotations(singletonCapabilities(model, singleton)),
  };
}

function resourceObject(model: Model, { name, navigationProperties }: EntityType): JsonObject {
  const bindings = [...navigationProperties.values()].flatMap((property) =>
    property.target === undefined ? [] : [[property.name, property.target] as const],
  );
  return {
    $Type: qualifiedTypeName(model, { kind: 'entity', name }),
    $NavigationPropertyBinding: bindings.length === 0 ? undefined : Object.fromEntries(bindings),
  };
}

function importObject(model: Model, { kind, callable, entitySet }: CallableImport): JsonObject {
  const namespace = model.callables.find(({ name }) => name === callable)?.namespace ?? model.namespace;
  const reference = `${namespace}.${callable}`;
  return { [kind === 'function' ? '$Function' : '$Action']: reference, $EntitySet: entitySet };
}

/** Annotations as members; one of an annotation has the name of both. */
function annotations(list: readonly Annotation[], prefix = ''): JsonObject {
  return Object.fromEntries(
    list.flatMap(({ vocabulary, term, value, annotations: inner }) => {
      const name = `${prefix}@${vocabulary}.${term}`;
      return [[name, annotationJson(value)] as const, ...Object.entries(annotations(inner, name))];
    }),
  );
}

function annotationJson(value: AnnotationValue): Json {
  switch (value.kind) {
    case 'string':
    case 'bool':
    case 'decimal':
      return value.value;
    case 'enumeration':
      return value.member.slice(value.member.indexOf('/') + 1);
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
