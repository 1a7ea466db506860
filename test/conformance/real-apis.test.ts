import { afterAll, describe, expect, it } from 'vitest';
import { type DocumentRun, runDocument } from './real-apis/document-run.ts';
import { summarize, summarizeAll } from './real-apis/summary.ts';
import { hasRealDocuments, realDocuments } from './real-apis/wanted-lists.ts';

if (!hasRealDocuments) console.info('Not run: real APIs, because ../shared/openapi/real is missing');

/** Of the 796 lists of all documents, and of the 497 without parameters in their paths. */
const LEAST_TABLES = 620;
const LEAST_ROOT_TABLES = 390;

/** Large documents take a minute each where the machine is slow. */
const DOCUMENT_MS = 240_000;

const documents = realDocuments();
/** By their names: a run that is tried again counts once. */
const runsByName = new Map<string, DocumentRun>();
const allRuns = (): readonly DocumentRun[] => [...runsByName.values()];

describe.skipIf(!hasRealDocuments)('a real API', { concurrent: true, timeout: DOCUMENT_MS }, () => {
  afterAll(() => console.table([...allRuns().map(summarize), summarizeAll(allRuns())]));

  it.each(documents)('$name is served in whole tables, which are the same in GraphQL', async (document) => {
    const ends: (() => void | Promise<void>)[] = [];
    try {
      const run = await runDocument(document, (stop) => void ends.unshift(stop));
      runsByName.set(document.name, run);
      const parts = run.readings.filter(({ outcome }) => outcome === 'silent' || outcome === 'wrong');
      expect(parts.map(({ name, path, message }) => `${name}, of ${path}: ${message}`)).toEqual([]);
      expect(run.graphql.faults).toEqual([]);
      expect(run.suffixes).toEqual([]);
    } finally {
      for (const stop of ends) await stop();
    }
  });
});

describe.skipIf(!hasRealDocuments)('all real APIs', () => {
  it('have most of their lists served as tables', () => {
    expect(
      allRuns()
        .map(({ document }) => document.name)
        .sort(),
    ).toEqual(documents.map(({ name }) => name).sort());
    const { tables, rootTables } = summarizeAll(allRuns());
    expect(tables).toBeGreaterThanOrEqual(LEAST_TABLES);
    expect(rootTables).toBeGreaterThanOrEqual(LEAST_ROOT_TABLES);
  });
});
