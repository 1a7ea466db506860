import type { LeftOut, ModelReport, ReportedSet } from '../../service/registry.ts';
import { ListsReportView } from './lists-report.tsx';
import { WrittenPlace } from './written-place.tsx';

/** What a document becomes, and what of it is left out. */
export function ModelReportView({ model }: { readonly model: ModelReport }) {
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
        remarks={leftOut.filter(({ severity }) => severity === 'info')}
      />
    </>
  );
}

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

function SetItem({ set }: { readonly set: ReportedSet }) {
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
