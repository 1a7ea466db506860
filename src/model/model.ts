import type { DescribedModel } from './description.ts';
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

/** The entity data model of one service (CSDL 4.01, section 5 and 13), its parts linked with each other. */
export interface Model {
  /** What it was linked from: a part of a model is described, and linked anew. */
  readonly description: DescribedModel;
  readonly namespace: string;
  readonly container: string;
  /** The version of the schema that `$schemaversion` asks for (Core.SchemaVersion). */
  readonly schemaVersion?: string | undefined;
  readonly entityTypes: ReadonlyMap<string, EntityType>;
  readonly entitySets: ReadonlyMap<string, EntitySet>;
  readonly complexTypes: ReadonlyMap<string, ComplexType>;
  readonly enumerationTypes: ReadonlyMap<string, EnumerationType>;
  readonly typeDefinitions: ReadonlyMap<string, TypeDefinition>;
  readonly singletons: ReadonlyMap<string, Singleton>;
  /** All overloads of all functions and actions. */
  readonly callables: readonly Callable[];
  readonly imports: ReadonlyMap<string, CallableImport>;
}
