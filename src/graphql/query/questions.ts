import type { LimitsOf } from '../../contract/request-limits.ts';
import type { Face } from '../schema/face.ts';
import type { Cursors } from './cursors.ts';
import type { Asked } from './selection.ts';

/** What selections are made into queries with. */
export interface Questions {
  readonly face: Face;
  readonly limits: { readonly url: LimitsOf<'url'> };
  readonly cursors: Cursors;
  readonly asked: Asked;
  /** How many relations this selection lies in. */
  readonly depth: number;
}
