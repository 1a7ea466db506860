import type { FoundRelation } from '../model/found-relation.ts';
import type { RelationOutcome } from './api-report.ts';

/** The result of a check of a relation; it has no values of rows. */
export type RelationFinding = Pick<RelationOutcome, 'verdict' | 'tested' | 'resolved' | 'fits'>;

export const UNCHECKED: RelationFinding = { verdict: 'open', tested: 0, resolved: 0, fits: [] };

/** Names a relation within its source: `Order/CustomerId Customer`. */
export function relationName({
  entityType,
  property,
  target,
}: Pick<FoundRelation, 'entityType' | 'property' | 'target'>): string {
  return `${entityType}/${property} ${target}`;
}

/** A relation, and what is known of it, for people. */
export function relationOutcome(
  { entityType, property, target, state, foundBy, alternatives, typedBy, written }: FoundRelation,
  { verdict, tested, resolved, fits }: RelationFinding = UNCHECKED,
): RelationOutcome {
  const isChangeable = written !== undefined;
  const beside = typedBy ?? null;
  return {
    entityType,
    property,
    target,
    state,
    foundBy,
    alternatives,
    typedBy: beside,
    isChangeable,
    verdict,
    tested,
    resolved,
    fits,
  };
}
