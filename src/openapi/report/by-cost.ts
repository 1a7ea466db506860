import type { DocumentFinding } from '../../contract/api-report.ts';
import { UNTOLD } from '../document/finding.ts';

/** What a finding costs follows from where it is and how often the same is found. */
type RankedFinding = Pick<DocumentFinding, 'severity' | 'pointer' | 'others'> & {
  readonly rule?: string | undefined;
  readonly message?: string;
};

const SEVERITIES: readonly DocumentFinding['severity'][] = ['error', 'warning', 'info'];

/**
 * Orders findings by what they cost whoever uses the service, the most first.
 *
 * Within a severity, that is the whole document, then operations and their paths, then what is within them or in
 * components, then resources without grants and all that is not shown; of these, what is found at the most places. Findings that cost the same stay
 * as they are.
 */
export function byCost(one: RankedFinding, other: RankedFinding): number {
  return (
    SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) ||
    depthOf(one) - depthOf(other) ||
    (other.others ?? 0) - (one.others ?? 0)
  );
}

/** The texts of findings about resources that no role may use: before any role has been granted anything, that is each. */
const UNGRANTED = /^Nobody may (?:call|use) /;

function depthOf({ pointer, rule, message = '' }: RankedFinding): number {
  if (rule === UNTOLD) return 4;
  if (UNGRANTED.test(message)) return 3;
  if (pointer === '') return 0;
  return /^\/paths(?:\/[^/]*){1,2}$/.test(pointer) ? 1 : 2;
}
