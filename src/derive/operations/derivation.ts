import type { DocumentSource } from '../../openapi/document/document-source.ts';
import type { Inheritance } from '../../openapi/schemas/inheritance.ts';
import type { SchemaReader } from '../../openapi/schemas/schema.ts';
import type { NameChoice } from '../names/unique-name.ts';
import type { DocumentOperation } from './document-operation.ts';

/** The shared context of deriving a document. */
export interface Derivation {
  readonly source: DocumentSource;
  /** The operations that can be called. */
  readonly operations: readonly DocumentOperation[];
  readonly namespace: string;
  readonly read: SchemaReader;
  readonly inheritance: Inheritance;
  /** Gives a name of a type, a function or the container that nothing else in the model has. */
  readonly claimTypeName: (choice: NameChoice, pointer: string) => string;
  /** Gives a name for an entity set, a singleton or an import that nothing else in the container has. */
  readonly claimResourceName: (choice: NameChoice, pointer: string) => string;
  /** The number of leading path segments without a meaning. */
  readonly pathPrefix: number;
}
