import type { CallableImport, EntityType, NavigationProperty } from '../../model/edm.ts';
import type { Expression, NameSegment } from '../tree/expression-tree.ts';
import type { BoundExpression, BoundVariable } from './bound-tree.ts';

/** What expressions read of an entity, and of the entities that it is related to. */
export interface EntityReads {
  /** Names of structural properties, undeclared ones among them. */
  readonly properties: Set<string>;
  readonly related: Map<string, RelatedReads>;
  /** The functions that they call for it; undefined where they cannot be called. */
  readonly calls?: Map<string, FunctionCall> | undefined;
}

/** What they read of the entities that a navigation property leads to. */
export interface RelatedReads extends EntityReads {
  readonly navigation: NavigationProperty;
}

/**
 * What expressions read of an entity set, of one of its entities or of a singleton that `$root` leads to
 * (Part 2, 5.1.1.14.5): it is loaded before the query runs.
 */
export interface RootRead extends EntityReads {
  /** The name of the set or singleton, with a key where one entity of the set is meant. */
  readonly segment: NameSegment;
  /** What aliases in the key stand for. */
  readonly aliases: ReadonlyMap<string, Expression>;
  readonly entityType: EntityType;
}

/** A function that is bound to nothing: it is called once, before the query runs (Part 2, 5.1.1.15). */
export interface RootCall {
  readonly imported: CallableImport;
  readonly segment: NameSegment;
  /** What aliases in the parameters stand for. */
  readonly aliases: ReadonlyMap<string, Expression>;
}

/** What a query needs beside its rows. */
export type RootSource = RootRead | RootCall;

/** A read, and the variable that stands for what it finds. */
export interface BoundRoot {
  readonly read: RootSource;
  readonly variable: BoundVariable;
}

/** A function that expressions call for each entity (Part 2, 5.1.1.15): it is called before the query runs. */
export interface FunctionCall {
  /** It is called for entities of this type. */
  readonly type: EntityType;
  /** The name of the rows' member that has the result. */
  readonly name: string;
  readonly segment: NameSegment;
  /** What aliases in the parameters stand for. */
  readonly aliases: ReadonlyMap<string, Expression>;
  /** The import of a function that is bound to nothing, and called for each entity because of its parameters. */
  readonly imported: CallableImport | undefined;
  readonly computed: ComputedParameters;
}

/** Parameters of a call whose values follow from the row that it is called for, by their names. */
export type ComputedParameters = ReadonlyMap<string, ComputedParameter>;

interface ComputedParameter {
  readonly value: BoundExpression;
  /** It may be null; else nothing is called for rows where it is. */
  readonly nullable: boolean;
}
