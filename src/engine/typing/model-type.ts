import type {
  ComplexType,
  EntityType,
  EnumerationType,
  StructuralProperty,
  TypeUse,
  ValueType,
} from '../../model/edm.ts';
import { withDerivedTypes } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { readableProperties } from '../../model/readable-property.ts';
import type { PrimitiveTypeName } from '../../model/type-use.ts';
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
export function typeOfUse({ type, collection }: Pick<TypeUse, 'type' | 'collection'>): ExpressionType {
  const single = type.kind === 'primitive' ? type.name : qualifiedName(type);
  return collection ? collectionOf(single) : single;
}

/** What a value of an expression's type is; the null literal counts as a string. */
export function useOfType(type: ExpressionType, model: Model): Pick<TypeUse, 'type' | 'collection'> {
  return { type: valueTypeOf(itemType(type), model), collection: isCollection(type) };
}

function valueTypeOf(name: ExpressionType, model: Model): ValueType {
  return (
    structuredType(model, name) ??
    enumerationType(model, name) ?? {
      kind: 'primitive',
      name: name === 'null' ? 'Edm.String' : (name as PrimitiveTypeName),
    }
  );
}

/** All properties that reads have of values of the type: its own, then those of derived types. */
export function propertiesOf(type: ModelType): ReadonlyMap<string, StructuralProperty> {
  return new Map(withDerivedTypes(type).flatMap((each) => [...readableProperties(each)]));
}

/** The type as one of entities without a key: values that are none are queried as if they were. */
export function asEntityType(type: ModelType): EntityType {
  return type.kind === 'entity' ? type : { ...type, kind: 'entity', key: [], base: undefined, derived: [] };
}
