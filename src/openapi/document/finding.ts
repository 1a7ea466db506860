type Severity =
  /** The document is wrong there: what it says cannot be meant. */
  | 'error'
  /** Something is left out of the service. */
  | 'warning'
  /** A decision that its author may want to know of. */
  | 'info';

/** What the derivation of a model has to say about one place of a document. */
export interface Finding {
  readonly severity: Severity;
  /** The name of the source whose document it is. */
  readonly source: string;
  /** A JSON pointer (RFC 6901) into the document, such as `/paths/~1posts/get`. */
  readonly pointer: string;
  readonly message: string;
  /** What findings of the same kind have in common, such as `post-is-update`; undefined where each is its own kind. */
  readonly rule?: string | undefined;
}

/** Notes a finding about the place with that pointer. */
export type Report = (severity: Severity, pointer: string, message: string, rule?: string) => void;

/** Collects the findings of one document, each once. */
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
      ...SEVERITIES.flatMap((severity) => untold(source, severity, counts[severity])),
    ],
  };
}

/** The rule of a finding that stands for all that are not told. */
export const UNTOLD = 'untold-findings';

/** The most findings of each severity: a document may have as many mistakes as it has lines, and nobody reads more. */
const MOST_FINDINGS = 1_000;

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info'];

function untold(source: string, severity: Severity, count: number): readonly Finding[] {
  if (count <= MOST_FINDINGS) return [];
  const message = `There are ${count - MOST_FINDINGS} more findings of this severity, which are not shown`;
  return [{ severity, source, pointer: '', message, rule: UNTOLD }];
}
