import type { DocumentFinding } from '../../contract/api-report.ts';
import { UNTOLD } from '../document/finding.ts';

/** What a finding costs follows from where it is and how often the same is found. */
type Told = Pick<DocumentFinding, 'severity' | 'pointer' | 'others'> & { readonly rule?: string | undefined };

const SEVERITIES: readonly DocumentFinding['severity'][] = ['error', 'warning', 'info'];

/**
 * Orders findings by what they cost whoever uses the service, the most first.
 *
 * Within a severity, that is the whole document, then operations and their paths, then what is within them or in
 * components, then all that is not told; of these, what is found at the most places. Findings that cost the same stay
 * as they are.
 */
export function byCost(one: Told, other: Told): number {
  return (
    SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) ||
    depthOf(one) - depthOf(other) ||
    (other.others ?? 0) - (one.others ?? 0)
  );
}

function depthOf({ pointer, rule }: Told): number {
  if (rule === UNTOLD) return 3;
  if (pointer === '') return 0;
  return /^\/paths(?:\/[^/]*){1,2}$/.test(pointer) ? 1 : 2;
}
