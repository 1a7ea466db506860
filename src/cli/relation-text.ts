import type { RelationOutcome } from '../contract/api-report.ts';
import type { RelationFinding } from '../contract/relation-outcome.ts';

export const SERVED: Readonly<Record<RelationOutcome['state'], string>> = {
  declared: 'served',
  derived: 'served',
  suggested: 'suggested',
  refused: 'refused',
};

export function relationText({ entityType, property, target }: RelationOutcome): string {
  return `${entityType}/${property} → ${target}`;
}

/** The verdict with its counts in words. */
export function outcomeText({
  verdict,
  resolved,
  tested,
  fits,
  typedBy,
}: RelationFinding & Pick<RelationOutcome, 'typedBy'>): string {
  const counts = `${resolved} of ${tested} found`;
  switch (verdict) {
    case 'resolved':
    case 'partly':
      return counts;
    case 'contradicted':
      return `contradicted: ${counts}`;
    case 'ambiguous': {
      const reasons = [
        ...(fits.length === 0 ? [] : [`also in ${fits.join(', ')}`]),
        ...(typedBy === null ? [] : [`${typedBy} names a type`]),
      ];
      return `ambiguous: ${counts}, ${reasons.join(', ')}`;
    }
    case 'undecided':
      return 'not shown: no value could be looked up';
    case 'unread':
      return 'not checked: the list cannot be read';
    case 'open':
      return 'not checked';
  }
}
