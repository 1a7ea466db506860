import { compileQuery } from '../../src/engine/pipeline/compile-query.ts';
import { parseRequestTarget } from '../../src/odata/url/request-target.ts';
import { entityTypeOf, modelOf, primitiveProperty } from '../support/model.ts';
import { middle } from './measure.ts';

const POST = entityTypeOf('Posts', 'Post', [
  primitiveProperty('UserId', 'Edm.Int32', 'userId'),
  primitiveProperty('Id', 'Edm.String', 'id'),
  primitiveProperty('Title', 'Edm.String', 'title'),
]);
const MODEL = modelOf('Posts', [
  { name: 'Post', entityType: POST, list: undefined, read: undefined, insert: undefined, grants: new Map() },
]);

/** Of three nodes each, and joined by one node less. */
const COMPARISONS = 25;
const ROUNDS = 500;

/** Milliseconds from the text of a filter of a hundred nodes to what can be run, the middle of many that differ. */
export function measureCompiling(): number {
  return middle(Array.from({ length: ROUNDS }, (_, round) => timeOf(targetOf(round))));
}

function targetOf(round: number): string {
  const comparisons = Array.from({ length: COMPARISONS }, (_, index) =>
    index % 2 === 0 ? `UserId gt ${round + index}` : `Title ne 'title ${round} ${index}'`,
  );
  return `/Post?$filter=${encodeURIComponent(comparisons.join(' or '))}`;
}

function timeOf(target: string): number {
  const started = performance.now();
  compileQuery(MODEL, POST, parseRequestTarget(target).options);
  return performance.now() - started;
}
