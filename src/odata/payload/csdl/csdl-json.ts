import type { Callable, CallableParameter } from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import type { ODataVersion } from '../negotiation/version.ts';
import { VOCABULARIES, type VocabularyAlias } from './csdl-annotation.ts';
import { BINDING_PARAMETER, entitySetPath } from './csdl-callable.ts';
import { schemaAnnotations } from './csdl-container-annotations.ts';
import { annotations, type Json, type JsonObject } from './csdl-json-annotation.ts';
import { containerObject } from './csdl-json-container.ts';
import { complexObject, definitionObject, entityObject, enumObject, useObject } from './csdl-json-type.ts';
import { callableAnnotations, parameterAnnotations } from './csdl-property.ts';
import { qualifiedTypeName } from './csdl-type.ts';
import { modelFor40 } from './csdl-version.ts';
import { PUBLISHED_VOCABULARIES, vocabularyUri } from './vocabulary-address.ts';

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
