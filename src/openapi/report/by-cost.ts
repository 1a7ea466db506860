import type { DocumentFinding } from '../../contract/api-report.ts';
import { OMITTED } from '../document/finding.ts';

/** The members of a finding that determine its cost. */
type RankedFinding = Pick<DocumentFinding, 'severity' | 'pointer' | 'others'> & {
  readonly rule?: string | undefined;
  readonly message?: string;
};

const SEVERITIES: readonly DocumentFinding['severity'][] = ['error', 'warning', 'info'];

/**
 * Orders findings by their cost for users, the most costly first.
 *
 * Within a severity: the whole document, operations and paths, their parts and components, resources without
 * grants and hidden parts; then by the number of positions. The order is stable.
 */
export function byCost(one: RankedFinding, other: RankedFinding): number {
  return (
    SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) ||
    depthOf(one) - depthOf(other) ||
    (other.others ?? 0) - (one.others ?? 0)
  );
}

/** Whether a finding is about a resource without grants: before the first grant, all resources have one. */
export function isUngranted(message: string): boolean {
  return /^Nobody may (?:call|use) /.test(message);
}

function depthOf({ pointer, rule, message = '' }: RankedFinding): number {
  if (rule === OMITTED) return 4;
  if (isUngranted(message)) return 3;
  if (pointer === '') return 0;
  return /^\/paths(?:\/[^/]*){1,2}$/.test(pointer) ? 1 : 2;
}
