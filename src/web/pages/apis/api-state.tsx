import { quantity } from '../../controls/quantity.ts';
import type { ApiState, ApiSummary } from '../../service/registry.ts';

const LABELS: Readonly<Record<ApiState, string>> = {
  registered: 'Registered',
  live: 'Live',
  ungranted: 'Live, nobody can use it yet',
  disabled: 'Turned off',
  failed: 'Failed',
};

const MARKS: Readonly<Record<ApiState, string>> = {
  registered: 'mark',
  live: 'mark view',
  ungranted: 'mark insert',
  disabled: 'mark wrong',
  failed: 'mark wrong',
};

export function StateMark({ state }: { readonly state: ApiState }) {
  return <span className={MARKS[state]}>{LABELS[state]}</span>;
}

/** Such as `2 errors, 1 warning`. */
export function describeProblems({ errors, warnings }: Pick<ApiSummary, 'errors' | 'warnings'>): string {
  const parts = [
    ...(errors > 0 ? [quantity(errors, 'error')] : []),
    ...(warnings > 0 ? [quantity(warnings, 'warning')] : []),
  ];
  return parts.join(', ') || 'No problems';
}

/** Explains why APIs are read-only. */
export function ReadOnlyReason({ reason }: { readonly reason: string | null }) {
  return reason === null ? null : <p className="banner plain">{reason}</p>;
}
