import { startMockApi } from '../../support/mock-api/mock-api.ts';
import { createProject, sourceOf } from '../../support/temporary-project.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { type GraphQLReading, readGraphQL } from './graphql-reading.ts';
import { numberSuffixes } from './number-suffixes.ts';
import { createODataClient } from './odata-client.ts';
import { readServedModel, type ServedTable } from './served-model.ts';
import { type ReadTable, readTable, type TableReader, type TableReading } from './table-reading.ts';
import type { RealDocument } from './wanted-lists.ts';

/** The results for a document: the real gateway in front of a mock of its API. */
export interface DocumentRun {
  readonly document: RealDocument;
  readonly readings: readonly TableReading[];
  readonly graphql: GraphQLReading;
  /** Names with a meaningless number. */
  readonly suffixes: readonly string[];
  readonly startSeconds: number;
  readonly startMegabytes: number;
}

/** Starts both, reads every table once, and stops both. */
export async function runDocument(
  document: RealDocument,
  atEnd: (stop: () => void | Promise<void>) => void,
): Promise<DocumentRun> {
  const text = document.text();
  const mock = await startMockApi(text);
  atEnd(() => mock.close());
  const project = createProject(
    { [document.file]: text, '.meshrc.yaml': `sources:\n${sourceOf('Api', `./${document.file}`, mock.url)}` },
    atEnd,
  );
  const gateway = await startGatewayProcess(project.path('.meshrc.yaml'));
  atEnd(() => gateway.stop());
  const { tables, scopes } = readServedModel(await metadata(gateway.url));
  const reader: TableReader = { client: createODataClient(`${gateway.url}/odata/`), mock };
  const read = await readTables(reader, tables);
  const graphql = await readGraphQL(gateway.url, reader.client, read);
  return {
    document,
    readings: read.map(({ reading }) => reading),
    graphql,
    suffixes: numberSuffixes(new Map([...scopes, ['GraphQL', graphql.types]]), text),
    startSeconds: gateway.startSeconds,
    startMegabytes: gateway.startMegabytes,
  };
}

/** One after another: which list was called for a table is seen in the mock's log. */
export async function readTables(
  reader: TableReader,
  tables: readonly ServedTable[],
): Promise<readonly ReadTable[]> {
  const read = new Map<ServedTable, ReadTable>();
  for (const table of tables) {
    const parent = table.parent && read.get(table.parent);
    // Below a table of which no entity is known nothing can be asked.
    if (table.parent !== undefined && parent?.entity === undefined) continue;
    read.set(table, await readTable(reader, table, parent));
  }
  return [...read.values()];
}

async function metadata(url: string): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${url}/odata/$metadata?$format=application/json`);
  const csdl: unknown = await response.json();
  return typeof csdl === 'object' && csdl !== null ? { ...csdl } : {};
}
