import type { ReactNode } from 'react';
import type { Right } from '../service/access.ts';

interface RightsRow {
  readonly name: string;
  readonly label: ReactNode;
  /** The box of a right; undefined where there is no such right. */
  readonly box: (right: Right) => ReactNode;
}

interface RightsTableProps {
  readonly caption: string;
  readonly className: string;
  readonly rights: readonly Right[];
  readonly rows: readonly RightsRow[];
}

/** A table with a row for each resource and a column for each right. */
export function RightsTable({ caption, className, rights, rows }: RightsTableProps) {
  return (
    <div className={`card ${className}`}>
      <table>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">What</th>
            {rights.map((right) => (
              <th key={right} scope="col">
                {right}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, label, box }) => (
            <tr key={name}>
              <th scope="row">{label}</th>
              {rights.map((right) => (
                <td key={right}>{box(right)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
