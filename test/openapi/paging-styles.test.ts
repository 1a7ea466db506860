import { describe, expect, it, onTestFinished } from 'vitest';
import { type MockApi, startMockApi } from '../support/mock-api/mock-api.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';
import { PAGING_STYLES } from './paging-styles.documents.ts';

interface Served {
  readonly mock: MockApi;
  /** Status, and the JSON without its context. */
  ask(target: string): Promise<readonly [number, unknown]>;
  /** The pages that the answer and its links lead to, each with the entities that it has. */
  pages(target: string, headers?: Readonly<Record<string, string>>): Promise<readonly (readonly unknown[])[]>;
}

interface Page {
  readonly value: readonly unknown[];
  readonly '@odata.nextLink'?: string;
}

async function serve(document: string): Promise<Served> {
  const mock = await startMockApi(document);
  onTestFinished(() => mock.close());
  const project = createProject({
    'api.json': document,
    '.meshrc.yaml': `sources:\n${sourceOf('Things', './api.json', mock.url)}`,
  });
  const { gateway } = await serveProject(project);
  return {
    mock,
    async ask(target) {
      const response = await fetch(`${gateway.url}/odata/${target}`);
      const body: unknown = await response.json();
      if (typeof body !== 'object' || body === null) return [response.status, body];
      const { '@odata.context': _, ...json } = { '@odata.context': '', ...body };
      return [response.status, json];
    },
    async pages(target, headers = {}) {
      const pages: (readonly unknown[])[] = [];
      let link: string | undefined = `${gateway.url}/odata/${target}`;
      while (link !== undefined) {
        const response: Response = await fetch(link, { headers });
        const page = (await response.json()) as Page;
        expect([response.status, page]).toEqual([200, expect.objectContaining({ value: expect.any(Array) })]);
        pages.push(page.value);
        link = page['@odata.nextLink'];
      }
      return pages;
    },
  };
}

const things = (first: number, last: number): readonly object[] =>
  Array.from({ length: last - first + 1 }, (_, index) => ({
    Id: first + index,
    Name: `name-${first + index}`,
  }));

describe.each(PAGING_STYLES)('a list paged by $name', ({ document, firstPage }) => {
  it('is read to its end, in pages as large as the document allows', async () => {
    const { pages, mock } = await serve(document);
    expect((await pages('Thing')).flat()).toEqual(things(1, 250));
    expect(mock.requests[0]?.target).toBe(`/v1${firstPage}`);
  });

  it('is the whole where an option needs all rows', async () => {
    const { ask } = await serve(document);
    expect(await ask('Thing/$count')).toEqual([200, 250]);
    expect(await ask('Thing?$filter=Id eq 200')).toEqual([200, { value: things(200, 200) }]);
    expect(await ask('Thing?$orderby=Id desc&$top=1')).toEqual([200, { value: things(250, 250) }]);
    expect(await ask("Thing?$filter=endswith(Name,'-249')&$count=true&$select=Id")).toEqual([
      200,
      { '@odata.count': 1, value: [{ Id: 249 }] },
    ]);
  });

  it('is cut by $top and $skip wherever its pages end', async () => {
    const { ask, mock } = await serve(document);
    expect(await ask('Thing?$top=3')).toEqual([200, { value: things(1, 3) }]);
    expect(await ask('Thing?$top=101')).toEqual([200, { value: things(1, 101) }]);
    expect(await ask('Thing?$skip=119&$top=3')).toEqual([200, { value: things(120, 122) }]);
    expect(await ask('Thing?$skip=240&$count=true')).toEqual([
      200,
      { '@odata.count': 250, value: things(241, 250) },
    ]);
    expect(mock.requests.map(({ status }) => status)).not.toContain(400);
  });

  it('goes on in pages no larger than the client prefers', async () => {
    const { pages } = await serve(document);
    const found = await pages('Thing', { prefer: 'odata.maxpagesize=60' });
    expect(found.flat()).toEqual(things(1, 250));
    expect(Math.max(...found.map(({ length }) => length))).toBeLessThanOrEqual(60);
  });
});
