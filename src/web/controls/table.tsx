import type { ReactNode } from 'react';
import type { Permission } from '../service/access.ts';

interface TableProps {
  readonly caption: string;
  readonly className: string;
  readonly columns: readonly string[];
  /** Its rows. */
  readonly children: ReactNode;
}

/** A table with a heading for each column, which scrolls where the page is too narrow for it. */
export function Table({ caption, className, columns, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
    <section className={`card table ${className}`} aria-label={caption} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

interface RightsRow {
  readonly name: string;
  readonly label: ReactNode;
  /** The box of a right; undefined where there is no such right. */
  readonly box: (right: Permission) => ReactNode;
}

interface RightsTableProps {
  readonly caption: string;
  readonly className: string;
  readonly rights: readonly Permission[];
  readonly rows: readonly RightsRow[];
}

/** A table with a row for each resource and a column for each right. */
export function RightsTable({ caption, className, rights, rows }: RightsTableProps) {
  return (
    <Table caption={caption} className={className} columns={['Resource', ...rights]}>
      {rows.map(({ name, label, box }) => (
        <tr key={name}>
          <th scope="row">{label}</th>
          {rights.map((right) => (
            <td key={right}>{box(right)}</td>
          ))}
        </tr>
      ))}
    </Table>
  );
}
