import type { ServiceShape, ShapedType } from '../../contract/api-report.ts';
import type { NavigationProperty, StructuredType, TypeUse } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { describeResources } from './describe-access.ts';

/** The parts of a model that clients depend on. */
export function shapeService(model: Model): ServiceShape {
  const typeOf = (name: string): string | undefined =>
    (model.entitySets.get(name) ?? model.singletons.get(name))?.entityType.name;
  return {
    resources: describeResources(model).map(({ name, rights, grants }) => ({
      name,
      rights,
      grants,
      type: typeOf(name),
    })),
    types: [
      ...[...model.entityTypes.values()].map((type) => shapeType(type, type.key)),
      ...[...model.complexTypes.values()].map((type) => shapeType(type, [])),
    ],
  };
}

function shapeType(type: StructuredType & { readonly name: string }, key: readonly string[]): ShapedType {
  const properties = [
    ...[...type.structuralProperties.values()].map((property) => [property.name, textOf(property)] as const),
    ...[...type.navigationProperties.values()].map((property) => [property.name, textTo(property)] as const),
  ];
  return { name: type.name, key, properties: Object.fromEntries(properties) };
}

function textOf({ type, collection }: TypeUse): string {
  const name = type.name.replace(/^Edm\./, '');
  return collection ? `Collection(${name})` : name;
}

function textTo({ entityType, collection }: NavigationProperty): string {
  return collection ? `Collection(${entityType.name})` : entityType.name;
}
