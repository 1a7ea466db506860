import type { Row } from '../../../contract/entity-source.ts';
import type { Transformation } from '../../url/tree.ts';
import type { Scope } from '../bind/scope.ts';
import type { ResultTypes } from './result-type.ts';

/** What a transformation does with its input set. Neither the rows nor their array are changed. */
export type Run = (rows: readonly Row[]) => readonly Row[];

/** A transformation, compiled: what it does, and what names mean in the transformation behind it. */
export interface Step {
  readonly run: Run;
  readonly scope: Scope;
}

/** What transformations that have others within need. */
export interface Applying {
  readonly types: ResultTypes;
  /** Compiles a sequence of transformations whose input is of the scope's instance type. */
  readonly sequence: (transformations: readonly Transformation[], scope: Scope) => Step;
}
