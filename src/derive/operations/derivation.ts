import type { DocumentSource } from '../../openapi/document/document-source.ts';
import type { Inheritance } from '../../openapi/schemas/inheritance.ts';
import type { SchemaReader } from '../../openapi/schemas/schema.ts';
import type { NameChoice } from '../names/unique-name.ts';
import type { DocumentOperation } from './document-operation.ts';

/** What all steps of one document's derivation share. */
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
  /** How many segments at the beginning of a path say nothing of what is there. */
  readonly pathPrefix: number;
}
