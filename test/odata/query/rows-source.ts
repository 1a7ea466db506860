import type { EntitySource } from '../../../src/contract/entity-source.ts';
import { GatewayError } from '../../../src/contract/gateway-error.ts';
import type { Row } from '../../../src/contract/row.ts';

/** A source of given rows by resource, which notes what is read, as `Order Id,Note`, with a key before a colon. */
export function rowsSource(rows: Readonly<Record<string, readonly Row[]>>): {
  readonly source: EntitySource;
  readonly reads: string[];
} {
  const reads: string[] = [];
  const only = (row: Row, properties: readonly string[]): Row =>
    Object.fromEntries(properties.map((name) => [name, row[name] ?? null]));
  const refuse = async (): Promise<never> => {
    throw new GatewayError('NotImplemented', 'These rows are only read.');
  };
  const source: EntitySource = {
    async readCollection({ resource, properties, part }) {
      reads.push(`${resource} ${properties.join()}`);
      const { skip = 0, top = Number.POSITIVE_INFINITY } = part ?? {};
      const wanted = (rows[resource] ?? []).slice(skip, skip + top);
      return { data: wanted.map((row) => only(row, properties)), version: 1 };
    },
    async readEntity({ resource, entityType, properties, arguments: values }) {
      const [key = ''] = Object.values(values).map(String);
      const [name = ''] = entityType.key;
      reads.push(`${resource} ${key}: ${properties.join()}`);
      const row = rows[resource]?.find((candidate) => String(candidate[name]) === key);
      return row && { data: only(row, properties), version: 1 };
    },
    insert: refuse,
    update: refuse,
    delete: refuse,
    call: refuse,
    readChanges: refuse,
    readStream: refuse,
    writeStream: refuse,
    deleteStream: refuse,
  };
  return { source, reads };
}
