import { quantity } from '../../controls/quantity.ts';
import {
  type DocumentFinding,
  type DocumentReport,
  type EntitySetSummary,
  isServable,
  type LeftOut,
  type ListsSummary,
  type ModelSummary,
  type Severity,
  type SilentReads,
} from '../../service/registry.ts';

/** The findings on a document, the most severe first. */
export function ValidationReport({ report }: { readonly report: DocumentReport }) {
  const { summary, findings } = report;
  // If the file is not an OpenAPI document, the summary says everything.
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
  readonly findings: readonly DocumentFinding[];
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

function FindingItem({ finding }: { readonly finding: DocumentFinding }) {
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

/** A finding without a position is about the registered URL or the whole file. */
function Place({ finding: { pointer, file, others, line, rule } }: { readonly finding: DocumentFinding }) {
  if (pointer !== '') return <WrittenPlace pointer={pointer} file={file} others={others} />;
  if (file !== undefined) return file === 'overlay' ? 'The overlay' : file;
  return rule === 'service-url' && line === 0 ? 'The service URL in the settings' : 'The whole file';
}

/** The resources of a document, and what is left out. */
export function ModelReportView({ model }: { readonly model: ModelSummary }) {
  const { entitySets, singletons, functions, actions, leftOut, lists } = model;
  return (
    <>
      <ListsReportView lists={lists} />
      {entitySets.length === 0 ? (
        <p className="hint">No entity sets.</p>
      ) : (
        <ul className="card reported">
          {entitySets.map((set) => (
            <SetItem key={set.name} set={set} />
          ))}
        </ul>
      )}
      <dl className="named">
        <Names label="Singletons" names={singletons} />
        <Names label="Functions" names={functions} />
        <Names label="Actions" names={actions} />
      </dl>
      <Remarks title="Left out" remarks={leftOut.filter(({ severity }) => severity !== 'info')} />
      <Remarks
        title="Differences from the document"
        remarks={leftOut.filter(({ severity, message }) => severity === 'info' && !UNGRANTED.test(message))}
      />
      <Remarks
        title="Without a role that may use it"
        remarks={leftOut.filter(({ message }) => UNGRANTED.test(message))}
      />
    </>
  );
}

/** Findings about resources without grants: before the first grant, all resources have one. */
const UNGRANTED = /^Nobody may (?:call|use) /;

interface RemarksProps {
  readonly title: string;
  readonly remarks: readonly LeftOut[];
}

function Remarks({ title, remarks }: RemarksProps) {
  if (remarks.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="card">
        {remarks.map(({ pointer, message, file, others }) => (
          <li key={`${pointer} ${message}`} className="finding">
            <p>{message}</p>
            <p className="hint">
              <WrittenPlace pointer={pointer} file={file} others={others} />
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}

function SetItem({ set }: { readonly set: EntitySetSummary }) {
  return (
    <li className="set">
      <div className="set-name">
        <strong>{set.name}</strong>
        <p>
          {set.type}, by {set.key.join(', ')}
        </p>
      </div>
      <ul className="marks" aria-label={`What can be done with ${set.name}`}>
        {set.operations.map((operation) => (
          <li key={operation} className="mark">
            {operation}
          </li>
        ))}
      </ul>
    </li>
  );
}

function Names({ label, names }: { readonly label: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <div>
      <dt>{label}</dt>
      <dd>{names.join(', ')}</dd>
    </div>
  );
}

/** The number of lists that are tables, and the reasons of the others. */
function ListsReportView({ lists: { lists, tables, reasons, silent } }: { readonly lists: ListsSummary }) {
  return (
    <>
      {silent !== undefined && <p className="lists">{describeSilence(silent)}</p>}
      {lists > 0 && (
        <p className="lists">
          Tables: {tables.toLocaleString()} of {quantity(lists, 'list')}
        </p>
      )}
      {reasons.length > 0 && (
        <ul className="card lists-lost" aria-label="Lists that are not served as tables">
          {reasons.map((reason) => (
            <li key={reason.rule} className="finding">
              <p>
                {quantity(reason.lists, 'list')}, such as <code>{reason.path}</code>: {reason.message}
              </p>
              {reason.hint !== '' && <p>{reason.hint}</p>}
              <p className="hint">
                <WrittenPlace pointer={reason.pointer} file={reason.file} /> · {reason.rule}
              </p>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** A sentence about the reads without a declared response schema. */
export function describeSilence({ reads, lists }: SilentReads): string {
  const say = reads === 1 ? 'does not say what it answers with' : 'do not say what they answer with';
  const like = lists === 1 ? '1 looks like a list' : `${lists} look like lists`;
  return `${quantity(reads, 'read')} ${say}; ${like}: learn from an answer.`;
}

interface WrittenPlaceProps {
  readonly pointer: string;
  readonly file?: string | undefined;
  /** The number of other positions. */
  readonly others?: number | undefined;
}

/** A position by its JSON pointer. */
function WrittenPlace({ pointer, file, others = 0 }: WrittenPlaceProps) {
  return (
    <>
      {file !== undefined && `In ${file === 'overlay' ? 'the overlay' : file}: `}
      <code>{pointer || '/'}</code>
      {others > 0 && ` and ${quantity(others, 'other place')}`}
    </>
  );
}
