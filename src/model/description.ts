import type {
  Binding,
  Callable,
  CallableImport,
  CallableParameter,
  EntitySet,
  EntityType,
  EnumerationType,
  NavigationProperty,
  Singleton,
  StructuralProperty,
  StructuredType,
  TypeDefinition,
  TypeUse,
} from './edm.ts';
import type { PrimitiveType } from './type-use.ts';

/**
 * The type of a single value. Descriptions go by the simple names of types, which are unique in a model, and by those of
 * the container's members: they are data without cycles, which can be taken apart and put together again.
 */
export type DescribedValueType =
  | PrimitiveType
  | { readonly kind: 'enumeration' | 'complex' | 'entity'; readonly name: string };

/** What a property, a parameter or a result holds, before its types are found. */
export interface DescribedTypeUse extends Omit<TypeUse, 'type' | 'definition'> {
  readonly type: DescribedValueType;
  /** The simple name of the type definition that stands for the primitive type (CSDL 4.01, 11). */
  readonly definition?: string | undefined;
}

/** A structural property by the names of its types. */
export interface DescribedStructuralProperty
  extends Omit<StructuralProperty, keyof TypeUse>,
    DescribedTypeUse {}

/** A navigation property by the names of what it leads to. */
export interface DescribedNavigationProperty
  extends Omit<NavigationProperty, 'entityType' | 'target' | 'partner'> {
  /** The simple name of the related entities' type. */
  readonly entityType: string;
  /** The entity set that the related entities are in; undefined where they are contained. */
  readonly target: string | undefined;
  /** The navigation property of the related type that leads back. */
  readonly partner: string | undefined;
}

/** What the descriptions of entity and complex types have in common. */
export interface DescribedStructuredType
  extends Omit<
    StructuredType,
    'kind' | 'structuralProperties' | 'navigationProperties' | 'base' | 'derived'
  > {
  /** All properties with their full types, inherited ones included. */
  readonly structuralProperties: ReadonlyMap<string, DescribedStructuralProperty>;
  /** All navigation properties, inherited ones included. */
  readonly navigationProperties: ReadonlyMap<string, DescribedNavigationProperty>;
  /** The simple name of the type that this one is derived from. */
  readonly baseType: string | undefined;
}

/** An entity type by the names of its base and of its properties' types. */
export interface DescribedEntityType
  extends Omit<EntityType, keyof StructuredType | 'boundCallables'>,
    DescribedStructuredType {}

/** A complex type by the names of its base and of its properties' types. */
export type DescribedComplexType = DescribedStructuredType;

/** An entity set whose type is not linked. */
export interface DescribedEntitySet extends Omit<EntitySet, 'entityType'> {
  readonly entityType: DescribedEntityType;
}

/** A singleton whose type is not linked. */
export interface DescribedSingleton extends Omit<Singleton, 'entityType'> {
  readonly entityType: DescribedEntityType;
}

/** Resources of the types that stand for theirs among others, by name. */
export function retyped<Resource extends DescribedEntitySet | DescribedSingleton>(
  resources: readonly Resource[],
  entityTypes: ReadonlyMap<string, DescribedEntityType>,
): readonly Resource[] {
  return resources.map((resource) => ({
    ...resource,
    entityType: entityTypes.get(resource.entityType.name) ?? resource.entityType,
  }));
}

/** A parameter by the name of its type. */
export interface DescribedCallableParameter
  extends Omit<CallableParameter, keyof TypeUse>,
    DescribedTypeUse {}

/** What a function or action is bound to, by name. */
export interface DescribedBinding extends Omit<Binding, 'entityType'> {
  /** The simple name of the entity type. */
  readonly entityType: string;
}

/** A function or an action by the names of the types that it takes and returns. */
export interface DescribedCallable extends Omit<Callable, 'binding' | 'parameters' | 'returns'> {
  readonly binding: DescribedBinding | undefined;
  readonly parameters: readonly DescribedCallableParameter[];
  readonly returns: DescribedTypeUse | undefined;
}

/** An import by the names of what it imports and of the set that its result is in. */
export interface DescribedCallableImport extends Omit<CallableImport, 'entitySet' | 'overloads'> {
  /** The entity set that the entities of the result are in. */
  readonly entitySet: string | undefined;
}

/** A model as its documents describe it, before its parts are linked. */
export interface DescribedModel {
  readonly namespace: string;
  readonly container: string;
  /** The version of the schema that `$schemaversion` asks for (Core.SchemaVersion). */
  readonly schemaVersion?: string | undefined;
  readonly entityTypes: ReadonlyMap<string, DescribedEntityType>;
  readonly entitySets: ReadonlyMap<string, DescribedEntitySet>;
  readonly complexTypes: ReadonlyMap<string, DescribedComplexType>;
  readonly enumerationTypes: ReadonlyMap<string, EnumerationType>;
  readonly typeDefinitions: ReadonlyMap<string, TypeDefinition>;
  readonly singletons: ReadonlyMap<string, DescribedSingleton>;
  /** All overloads of all functions and actions. */
  readonly callables: readonly DescribedCallable[];
  readonly imports: ReadonlyMap<string, DescribedCallableImport>;
}

/** What one document adds to the model. */
export interface ModelPart {
  readonly entityTypes: readonly DescribedEntityType[];
  readonly complexTypes: readonly DescribedComplexType[];
  readonly enumerationTypes: readonly EnumerationType[];
  readonly typeDefinitions: readonly TypeDefinition[];
  readonly entitySets: readonly DescribedEntitySet[];
  readonly singletons: readonly DescribedSingleton[];
  readonly callables: readonly DescribedCallable[];
  readonly imports: readonly DescribedCallableImport[];
}
