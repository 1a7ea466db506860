import { describe, expect, it, onTestFinished } from 'vitest';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import type { EntitySet } from '../../src/model/edm.ts';
import { readDescription } from '../../src/openapi/openapi-description.ts';
import { startMockApi } from '../support/mock-api/mock-api.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';
import { hasRealDocuments, realDocuments } from './real-apis/wanted-lists.ts';

/** The other documents take longer than a minute. */
const DOCUMENTS: readonly string[] = ['petstore', 'train-travel', 'superset', 'spotify', 'mastodon'];

/** The lists that are asked of each document, and the conditions on each of them. */
const MOST_LISTS = 2;
const MOST_CONDITIONS = 2;
const ROWS = 130;

type Row = Readonly<Record<string, unknown>>;

interface Condition {
  readonly query: string;
  readonly isMet: (row: Row) => boolean;
}

/** A list in pages whose rows have one key, with parameters that may narrow it. */
function isNarrowable({ list, entityType }: EntitySet): boolean {
  const isPlain = list?.parameters.length === 0 && list.fixed === undefined && list.paging !== undefined;
  return isPlain && entityType.key.length === 1 && (list.narrowing?.length ?? 0) > 0;
}

/** Conditions that parameters may narrow by, with values of the rows, and also beside others. */
function conditionsOf({ list, entityType }: EntitySet, rows: readonly Row[]): readonly Condition[] {
  const names = [...new Set(list?.narrowing?.map(({ path }) => path[0] ?? '') ?? [])];
  return names.flatMap((name): readonly Condition[] => {
    const type = entityType.structuralProperties.get(name);
    const isText = type?.type.kind === 'enumeration' || type?.type.name === 'Edm.String';
    const isNumber = /^Edm\.(?:Int\d+|Boolean)$/.test(type?.type.name ?? '');
    if (type === undefined || type.collection || !(isText || isNumber)) return [];
    const literal = (value: unknown) => (isText ? `'${String(value).replaceAll("'", "''")}'` : String(value));
    const values = [
      ...new Set(rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined)),
    ];
    const [first, second = first] = [values[Math.floor(values.length / 2)], values[0]];
    if (first === undefined) return [];
    const isFirst = (row: Row) => row[name] === first;
    return [
      { query: `${name} eq ${literal(first)}`, isMet: isFirst },
      {
        query: `${name} in (${literal(first)},${literal(second)})`,
        isMet: (row) => isFirst(row) || row[name] === second,
      },
      {
        query: `${name} eq ${literal(second)} and not (${name} eq ${literal(first)})`,
        isMet: (row) => row[name] === second && !isFirst(row),
      },
    ];
  });
}

describe.skipIf(!hasRealDocuments)('the planner, on APIs some of whose parameters lie', () => {
  const documents = realDocuments().filter(({ name }) => DOCUMENTS.includes(name));
  it.each(documents.map(({ name, file, text }) => ({ name, file, text })))(
    'has the same rows as the whole list: $name',
    { timeout: 120_000 },
    async ({ file, text }) => {
      const document = text();
      const mock = await startMockApi(document, ROWS);
      onTestFinished(() => mock.close());
      mock.misbehave({ filters: 'some lie' });
      const project = createProject({
        [file]: document,
        '.meshrc.yaml': `sources:\n${sourceOf('Api', `./${file}`, mock.url)}`,
      });
      const { gateway } = await serveProject(project);
      const { model } = modelFromOpenApi([{ name: 'Api', document: readDescription({ document }).document }]);
      const ask = async (path: string) => {
        const response = await fetch(`${gateway.url}/odata/${encodeURI(path)}`, {
          headers: { prefer: 'odata.maxpagesize=1000' },
        });
        return [
          response.status,
          (await response.json().catch(() => undefined))?.value as readonly Row[] | undefined,
        ] as const;
      };
      for (const set of [...model.entitySets.values()].filter(isNarrowable).slice(0, MOST_LISTS)) {
        const [key = ''] = set.entityType.key;
        const [status, rows = []] = await ask(`${set.name}?$orderby=${key}`);
        // Some mocks have no rows that fit, or refuse a list without parameters.
        if (status !== 200) continue;
        for (const { query, isMet } of conditionsOf(set, rows).slice(0, 3 * MOST_CONDITIONS)) {
          const expected = rows.filter(isMet).map((row) => row[key]);
          // The first time, parameters are tried out.
          for (const time of ['first', 'second']) {
            const [code, found] = await ask(`${set.name}?$filter=${query}&$orderby=${key}&$select=${key}`);
            expect([set.name, query, time, code, found?.map((row) => row[key])]).toStrictEqual([
              set.name,
              query,
              time,
              200,
              expected,
            ]);
          }
        }
      }
    },
  );
});
