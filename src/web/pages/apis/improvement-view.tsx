import { ActionButton } from '../../controls/inputs.tsx';
import { quantity } from '../../controls/quantity.ts';
import { Table } from '../../controls/table.tsx';
import {
  acceptActions,
  type Improvement,
  type TableChange,
  type TableShape,
} from '../../service/registry.ts';
import { FormFailure } from '../../state/failure.tsx';
import { ConfirmChanges, isConfirmation } from './confirm-changes.tsx';
import { ChangeStatus } from './document-progress.tsx';
import { useApiChange } from './use-api.ts';

interface ImprovementViewProps {
  readonly api: string;
  readonly improvement: Improvement;
  readonly onAccepted: () => void;
}

/** The tables before and after, the difference of the overlay, and the button that writes it. */
export function ImprovementView({ api, improvement, onAccepted }: ImprovementViewProps) {
  const { actions, difference, tables } = improvement;
  const accepting = useApiChange((confirm: readonly string[], progressId) =>
    acceptActions(api, { actions, confirm }, progressId),
  );
  const accept = (confirm: readonly string[]): void => accepting.mutate(confirm, { onSuccess: onAccepted });
  return (
    <>
      {tables.length === 0 ? (
        <p className="hint">The tables stay as they are.</p>
      ) : (
        tables.map((table) => <ChangedTable key={table.name} table={table} />)
      )}
      <details className="findings">
        <summary>The overlay ({quantity(difference.length, 'line')})</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard. */}
        <section className="difference" tabIndex={0} aria-label="The difference of the overlay">
          <pre>
            {difference.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity, and do not change.
              <span key={index} className={lineClass(line)}>
                {`${line}\n`}
              </span>
            ))}
          </pre>
        </section>
      </details>
      <div className="buttons parameter-actions">
        <ActionButton
          label="Accept"
          doing="Accepting …"
          isPending={accepting.isPending}
          act={() => accept([])}
        />
      </div>
      <ConfirmChanges error={accepting.error} confirm={accept} isPending={accepting.isPending} />
      <ChangeStatus change={accepting} isServed otherwise="Writing the overlay …" done={undefined} />
      <FormFailure error={accepting.error} isAtField={isConfirmation} />
    </>
  );
}

function lineClass(line: string): string | undefined {
  if (line.startsWith('+')) return 'gained';
  return line.startsWith('-') ? 'lost' : undefined;
}

/** The columns of a table before and after. */
function ChangedTable({ table: { name, before, after } }: { readonly table: TableChange }) {
  const columns = [...new Set([...Object.keys(before?.columns ?? {}), ...Object.keys(after?.columns ?? {})])];
  const title = titleOf(name, before, after);
  return (
    <>
      <h3>{title}</h3>
      <Table caption={title} className="before-after" columns={['Column', 'Before', 'After']}>
        {columns.map((column) => {
          const [earlier, later] = [columnIn(before, column), columnIn(after, column)];
          return (
            <tr key={column}>
              <th scope="row">{column}</th>
              <td>{earlier}</td>
              <td>{earlier === later ? <span className="hint">{later}</span> : later}</td>
            </tr>
          );
        })}
      </Table>
    </>
  );
}

function titleOf(name: string, before: TableShape | null, after: TableShape | null): string {
  if (before === null) return `${name} (new)`;
  return after === null ? `${name} (no longer a table)` : name;
}

function columnIn(table: TableShape | null, column: string): string {
  const type = table?.columns[column];
  if (table === null || type === undefined) return '–';
  return table.key.includes(column) ? `${type}, key` : type;
}
