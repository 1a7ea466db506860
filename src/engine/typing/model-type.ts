import type {
  ComplexType,
  EntityType,
  EnumerationType,
  StructuralProperty,
  TypeUse,
} from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { readableProperties } from '../../model/readable-property.ts';
import type { PrimitiveTypeName, TypeName } from '../../model/type-use.ts';
import { collectionOf, type ExpressionType, isCollection, itemType } from './expression-type.ts';

export type ModelType = EntityType | ComplexType;

interface Named {
  readonly namespace: string;
  readonly name: string;
}

export function qualifiedName({ namespace, name }: Named): `${string}.${string}` {
  return `${namespace}.${name}`;
}

/** The entity or complex type of that qualified name. */
export function structuredType(model: Model, name: string): ModelType | undefined {
  return find(model.entityTypes, name) ?? find(model.complexTypes, name);
}

export function enumerationType(model: Model, name: string): EnumerationType | undefined {
  return find(model.enumerationTypes, name);
}

function find<Type extends Named>(types: ReadonlyMap<string, Type>, name: string): Type | undefined {
  const type = types.get(name.slice(name.lastIndexOf('.') + 1));
  return type !== undefined && qualifiedName(type) === name ? type : undefined;
}

/** The expression type of what a property holds. */
export function typeOfUse(model: Model, { type, collection }: Pick<TypeUse, 'type' | 'collection'>) {
  const single = type.kind === 'primitive' ? type.name : typeOfModel(model, type.kind, type.name);
  return collection ? collectionOf(single) : single;
}

function typeOfModel(model: Model, kind: 'enumeration' | 'complex' | 'entity', name: string): ExpressionType {
  const types: Readonly<Record<typeof kind, ReadonlyMap<string, Named>>> = {
    enumeration: model.enumerationTypes,
    complex: model.complexTypes,
    entity: model.entityTypes,
  };
  const type = types[kind].get(name);
  return type === undefined ? 'Edm.Untyped' : qualifiedName(type);
}

/** What a value of an expression's type is; the null literal counts as a string. */
export function useOfType(type: ExpressionType, model: Model): Pick<TypeUse, 'type' | 'collection'> {
  return { type: typeNameOf(itemType(type), model), collection: isCollection(type) };
}

function typeNameOf(name: ExpressionType, model: Model): TypeName {
  const structured = structuredType(model, name);
  if (structured !== undefined) {
    const kind = model.entityTypes.get(structured.name) === structured ? 'entity' : 'complex';
    return { kind, name: structured.name };
  }
  const enumeration = enumerationType(model, name);
  return enumeration === undefined
    ? { kind: 'primitive', name: name === 'null' ? 'Edm.String' : (name as PrimitiveTypeName) }
    : { kind: 'enumeration', name: enumeration.name };
}

/** Whether the type is that type, or derived from it over any number of steps. */
export function isDerivedFrom(model: Model, type: ModelType, base: ModelType): boolean {
  const types: ReadonlyMap<string, ModelType> = model.entityTypes.has(base.name)
    ? model.entityTypes
    : model.complexTypes;
  for (
    let next: ModelType | undefined = type;
    next !== undefined;
    next = next.baseType === undefined ? undefined : types.get(next.baseType)
  ) {
    if (next === base) return true;
  }
  return false;
}

/** The type and all that are derived from it, bases first. */
export function withDerivedTypes(model: Model, base: ModelType): readonly ModelType[] {
  const types: Iterable<ModelType> = model.entityTypes.has(base.name)
    ? model.entityTypes.values()
    : model.complexTypes.values();
  return [base, ...[...types].filter((type) => type !== base && isDerivedFrom(model, type, base))];
}

/** All properties that reads have of values of the type: its own, then those of derived types. */
export function propertiesOf(model: Model, type: ModelType): ReadonlyMap<string, StructuralProperty> {
  return new Map(withDerivedTypes(model, type).flatMap((each) => [...readableProperties(each)]));
}
