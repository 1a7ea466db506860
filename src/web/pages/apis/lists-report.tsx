import type { ListsReport } from '../../service/registry.ts';
import { quantity } from './api-state.tsx';
import { WrittenPlace } from './written-place.tsx';

/** How many lists of a document are tables, and what keeps the others from it. */
export function ListsReportView({ lists: { lists, tables, reasons } }: { readonly lists: ListsReport }) {
  if (lists === 0) return null;
  return (
    <>
      <p className="lists">
        Tables: {tables.toLocaleString()} of {quantity(lists, 'list')}
      </p>
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
