import { type Finding, isServable, type Report, type Severity } from '../../service/registry.ts';
import { quantity } from './api-state.tsx';
import { WrittenPlace } from './written-place.tsx';

/** What is wrong with a document, the worst first, and where. */
export function ValidationReport({ report }: { readonly report: Report }) {
  const { summary, findings } = report;
  // Of a file that is no OpenAPI, the summary is all that there is to say.
  const others = findings.filter(({ message }) => message !== summary);
  const isSound = isServable(report) && !findings.some(({ severity }) => severity === 'error');
  return (
    <>
      <p className={isSound ? 'banner good' : 'banner bad'}>{summary}</p>
      <Findings findings={others} severity="error" noun="error" />
      <Findings findings={others} severity="warning" noun="warning" />
      <Findings findings={others} severity="info" noun="note" />
    </>
  );
}

interface FindingsProps {
  readonly findings: readonly Finding[];
  readonly severity: Severity;
  readonly noun: string;
}

function Findings({ findings, severity, noun }: FindingsProps) {
  const shown = findings.filter((finding) => finding.severity === severity);
  if (shown.length === 0) return null;
  const count = shown.reduce((sum, { others = 0 }) => sum + 1 + others, 0);
  return (
    <details
      className="findings"
      open={severity === 'error' || (severity === 'warning' && shown.length <= 5)}
    >
      <summary>{quantity(count, noun)}</summary>
      <ul className="card">
        {shown.map((finding) => (
          <FindingItem
            key={`${finding.line}:${finding.column} ${finding.rule} ${finding.message}`}
            finding={finding}
          />
        ))}
      </ul>
    </details>
  );
}

function FindingItem({ finding }: { readonly finding: Finding }) {
  const { message, line, column, rule } = finding;
  return (
    <li className="finding">
      <p>{message}</p>
      <p className="hint">
        {line > 0 && `Line ${line}, column ${column} · `}
        <Place finding={finding} /> · {rule}
      </p>
    </li>
  );
}

/** What is not in the file is the URL that the API was registered with. */
function Place({ finding: { pointer, file, others, line, rule } }: { readonly finding: Finding }) {
  if (pointer !== '') return <WrittenPlace pointer={pointer} file={file} others={others} />;
  if (file === 'overlay') return 'The overlay';
  return rule === 'service-url' && line === 0 ? 'The service URL of the settings' : 'The whole file';
}
