import type {
  Callable,
  CallableImport,
  ComplexType,
  EntitySet,
  EntityType,
  EnumerationType,
  Singleton,
  TypeDefinition,
} from './edm.ts';

/** What one document adds to the model. */
export interface ModelPart {
  readonly entityTypes: readonly EntityType[];
  readonly complexTypes: readonly ComplexType[];
  readonly enumerationTypes: readonly EnumerationType[];
  readonly typeDefinitions: readonly TypeDefinition[];
  readonly entitySets: readonly EntitySet[];
  readonly singletons: readonly Singleton[];
  readonly callables: readonly Callable[];
  readonly imports: readonly CallableImport[];
}
