type Severity =
  /** The document contains a mistake. */
  | 'error'
  /** A part of the document is not served. */
  | 'warning'
  /** A decision that may interest the author. */
  | 'info';

/** A finding of the derivation at a position of a document. */
export interface Finding {
  readonly severity: Severity;
  /** The name of the source. */
  readonly source: string;
  /** A JSON pointer (RFC 6901) into the document, such as `/paths/~1posts/get`. */
  readonly pointer: string;
  readonly message: string;
  /** The id of the kind of findings, such as `post-is-update`; undefined for a unique one. */
  readonly rule?: string | undefined;
}

/** Records a finding at a pointer. */
export type Report = (severity: Severity, pointer: string, message: string, rule?: string) => void;

/** Collects the findings of one document without duplicates. */
export function collectFindings(source: string): { report: Report; findings: () => readonly Finding[] } {
  const found = new Map<string, Finding>();
  const counts = { error: 0, warning: 0, info: 0 };
  return {
    report: (severity, pointer, message, rule) => {
      const key = `${pointer}\n${message}`;
      if (found.has(key)) return;
      counts[severity] += 1;
      if (counts[severity] <= MOST_FINDINGS) {
        found.set(key, { severity, source, pointer, message, ...(rule && { rule }) });
      }
    },
    findings: () => [
      ...found.values(),
      ...SEVERITIES.flatMap((severity) => omittedFindings(source, severity, counts[severity])),
    ],
  };
}

/** The rule of the finding that counts omitted ones. */
export const OMITTED = 'untold-findings';

/** Maximum number of findings per severity, because a document may have a mistake in every line. */
const MOST_FINDINGS = 1_000;

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info'];

function omittedFindings(source: string, severity: Severity, count: number): readonly Finding[] {
  if (count <= MOST_FINDINGS) return [];
  const message = `There are ${count - MOST_FINDINGS} more findings of this severity, which are not shown`;
  return [{ severity, source, pointer: '', message, rule: OMITTED }];
}
