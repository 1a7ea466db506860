import type { ReactNode } from 'react';
import type { Permission } from '../service/access.ts';

interface TableProps {
  readonly caption: string;
  readonly className: string;
  readonly columns: readonly string[];
  readonly children: ReactNode;
}

/** A table with column headings, which scrolls horizontally on narrow pages. */
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
  /** The checkbox of a permission; undefined if the resource does not support it. */
  readonly box: (right: Permission) => ReactNode;
}

interface RightsTableProps {
  readonly caption: string;
  readonly className: string;
  readonly rights: readonly Permission[];
  readonly rows: readonly RightsRow[];
}

/** A table with a row per resource and a column per permission. */
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
