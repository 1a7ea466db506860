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
 * The type of a single value. Descriptions refer to types by their simple names, which are unique in a model,
 * and to members of the container by name: they are data without cycles, which can be filtered and
 * recombined.
 */
export type DescribedValueType =
  | PrimitiveType
  | { readonly kind: 'enumeration' | 'complex' | 'entity'; readonly name: string };

/** The type of a property, parameter or result, before its names are resolved. */
export interface DescribedTypeUse extends Omit<TypeUse, 'type' | 'definition'> {
  readonly type: DescribedValueType;
  /** The simple name of the type definition (CSDL 4.01, 11). */
  readonly definition?: string | undefined;
}

export interface DescribedStructuralProperty
  extends Omit<StructuralProperty, keyof TypeUse>,
    DescribedTypeUse {}

export interface DescribedNavigationProperty
  extends Omit<NavigationProperty, 'entityType' | 'target' | 'partner'> {
  readonly entityType: string;
  /** The entity set of the related entities; undefined if they are contained. */
  readonly target: string | undefined;
  /** The navigation property of the related type in the other direction. */
  readonly partner: string | undefined;
}

/** The common members of the descriptions of entity and complex types. */
export interface DescribedStructuredType
  extends Omit<
    StructuredType,
    'kind' | 'structuralProperties' | 'navigationProperties' | 'base' | 'derived'
  > {
  /** All properties, including inherited ones. */
  readonly structuralProperties: ReadonlyMap<string, DescribedStructuralProperty>;
  /** All navigation properties, including inherited ones. */
  readonly navigationProperties: ReadonlyMap<string, DescribedNavigationProperty>;
  readonly baseType: string | undefined;
}

export interface DescribedEntityType
  extends Omit<EntityType, keyof StructuredType | 'boundCallables'>,
    DescribedStructuredType {}

export type DescribedComplexType = DescribedStructuredType;

export interface DescribedEntitySet extends Omit<EntitySet, 'entityType'> {
  readonly entityType: DescribedEntityType;
}

export interface DescribedSingleton extends Omit<Singleton, 'entityType'> {
  readonly entityType: DescribedEntityType;
}

/** Resources with their types renamed to those that replace them. */
export function retyped<Resource extends DescribedEntitySet | DescribedSingleton>(
  resources: readonly Resource[],
  entityTypes: ReadonlyMap<string, DescribedEntityType>,
): readonly Resource[] {
  return resources.map((resource) => ({
    ...resource,
    entityType: entityTypes.get(resource.entityType.name) ?? resource.entityType,
  }));
}

export interface DescribedCallableParameter
  extends Omit<CallableParameter, keyof TypeUse>,
    DescribedTypeUse {}

export interface DescribedBinding extends Omit<Binding, 'entityType'> {
  readonly entityType: string;
}

export interface DescribedCallable extends Omit<Callable, 'binding' | 'parameters' | 'returns'> {
  readonly binding: DescribedBinding | undefined;
  readonly parameters: readonly DescribedCallableParameter[];
  readonly returns: DescribedTypeUse | undefined;
}

export interface DescribedCallableImport extends Omit<CallableImport, 'entitySet' | 'overloads'> {
  readonly entitySet: string | undefined;
}

/** A model as its documents describe it, before names are resolved. */
export interface DescribedModel {
  readonly namespace: string;
  readonly container: string;
  /** The version of the schema for `$schemaversion` (Core.SchemaVersion). */
  readonly schemaVersion?: string | undefined;
  readonly entityTypes: ReadonlyMap<string, DescribedEntityType>;
  readonly entitySets: ReadonlyMap<string, DescribedEntitySet>;
  readonly complexTypes: ReadonlyMap<string, DescribedComplexType>;
  readonly enumerationTypes: ReadonlyMap<string, EnumerationType>;
  readonly typeDefinitions: ReadonlyMap<string, TypeDefinition>;
  readonly singletons: ReadonlyMap<string, DescribedSingleton>;
  readonly callables: readonly DescribedCallable[];
  readonly imports: ReadonlyMap<string, DescribedCallableImport>;
}

/** The part of the model that one document contributes. */
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
