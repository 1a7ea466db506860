import { afterAll, describe, expect, it } from 'vitest';
import { startMockApi } from '../support/mock-api/mock-api.ts';
import { createProject, sourceOf } from '../support/temporary-project.ts';
import { readTables } from './real-apis/document-run.ts';
import { startGatewayProcess } from './real-apis/gateway-process.ts';
import { createODataClient } from './real-apis/odata-client.ts';
import { readServedModel } from './real-apis/served-model.ts';
import { hasRealDocuments, realDocuments } from './real-apis/wanted-lists.ts';

/** Rows on a page of the server, whatever the document allows: each list has 250. */
const CAP = 20;

/** Large documents take a minute each where the machine is slow. */
const DOCUMENT_MS = 480_000;

interface Line {
  readonly document: string;
  readonly sets: number;
  readonly whole: number;
  readonly said: number;
  readonly silent: number;
  readonly others: number;
  readonly calls: number;
}

const lines = new Map<string, Line>();

describe.skipIf(!hasRealDocuments)(
  'a server with pages smaller than its document',
  { timeout: DOCUMENT_MS },
  () => {
    afterAll(() => console.table([...lines.values()]));

    it.each(realDocuments())('$name has no list that is cut without a word', async (document) => {
      const ends: (() => void | Promise<void>)[] = [];
      try {
        const text = document.text();
        const mock = await startMockApi(text);
        ends.unshift(() => mock.close());
        mock.misbehave({ largestPage: CAP });
        const project = createProject(
          {
            [document.file]: text,
            '.meshrc.yaml': `sources:\n${sourceOf('Api', `./${document.file}`, mock.url)}`,
          },
          (stop) => void ends.unshift(stop),
        );
        const gateway = await startGatewayProcess(project.path('.meshrc.yaml'));
        ends.unshift(() => gateway.stop());
        const csdl = await (await fetch(`${gateway.url}/odata/$metadata?$format=application/json`)).json();
        const { tables } = readServedModel(csdl as Readonly<Record<string, unknown>>);
        const reader = { client: createODataClient(`${gateway.url}/odata/`), mock };
        const readings = (await readTables(reader, tables)).map(({ reading }) => reading);
        const listed = readings.filter(({ outcome }) => outcome !== 'no list');
        const count = (...outcomes: readonly string[]) =>
          listed.filter(({ outcome }) => outcomes.includes(outcome)).length;
        lines.set(document.name, {
          document: document.name,
          sets: listed.length,
          whole: count('whole'),
          said: count('said'),
          silent: count('silent'),
          others: count('failed', 'wrong'),
          calls: mock.requests.filter(({ isList }) => isList).length,
        });
        const cut = listed.filter(({ outcome }) => outcome === 'silent' || outcome === 'wrong');
        expect(cut.map(({ name, path, message }) => `${name}, of ${path}: ${message}`)).toEqual([]);
      } finally {
        for (const stop of ends) await stop();
      }
    });
  },
);
