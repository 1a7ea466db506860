import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ListDocument, type PagedList, servePaged, type Thing, things } from '../openapi/paged-list.ts';
import { heldAnswer } from '../support/held-answer.ts';
import type { Reply } from '../support/stand-in-upstream.ts';
import { HAS_BROWSER, useBrowser } from '../web/browser.ts';

const integer = { type: 'integer' };
const SIZE = 500;
const ROWS = 6_000;
const PAGES = ROWS / SIZE;
const PAGED: ListDocument = {
  parameters: { page: { ...integer, default: 1 }, limit: { ...integer, maximum: SIZE } },
  answer: {},
};

type Rows = readonly Thing[];

interface Served {
  /** The rows of the list; default: 6,000 things. */
  readonly rows?: Rows;
  /** Answers the page in the place of the list; false if the list answers. */
  readonly fault?: (page: number, reply: Reply) => boolean;
  readonly document?: ListDocument;
  readonly say?: object;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A list of 12 pages with 500 things each. */
function serveList({ rows = things(ROWS), fault, document = PAGED, say, environment }: Served = {}) {
  return servePaged(
    document,
    ({ number }, reply) => {
      const page = number('page', 1);
      if (fault?.(page, reply) === true) return;
      reply.json({ items: rows.slice((page - 1) * SIZE, page * SIZE), ...say });
    },
    environment === undefined ? {} : { environment },
  );
}

const urlOf = ({ gateway }: PagedList, path: string) => `${gateway.url}/odata/${path}`;

/** The rows that a text has in each format. */
const FORMATS = {
  json: {
    path: "Thing?$filter=Name ne ''",
    rows: (text: string): Rows =>
      (JSON.parse(text) as { value: { Id: number; Name: string }[] }).value.map(asThing),
  },
  csv: {
    path: 'Thing?$format=csv',
    rows: (text: string): Rows => {
      const [head, ...lines] = text.replace(/^\ufeff/, '').split('\r\n');
      expect([head, lines.pop()]).toStrictEqual(['Id,Name', '']);
      return lines.map((line) => {
        const [id, name = ''] = line.split(',');
        return { id: Number(id), name };
      });
    },
  },
  jsonl: {
    path: 'Thing?$format=jsonl',
    rows: (text: string): Rows => {
      const lines = text.split('\n');
      expect(lines.pop()).toBe('');
      return lines.map((line) => asThing(JSON.parse(line)));
    },
  },
} as const;

function asThing({ Id, Name }: { readonly Id: number; readonly Name: string }): Thing {
  return { id: Id, name: Name };
}

async function textOf(response: Response): Promise<string> {
  return Buffer.from(await response.arrayBuffer()).toString();
}

/** Resolves when the gateway has answered other requests and has not called the list meanwhile. */
async function untilIdle(list: PagedList): Promise<void> {
  for (let before = -1; before !== list.queries().length; ) {
    before = list.queries().length;
    for (let times = 0; times < 20; times += 1) await (await fetch(urlOf(list, '$metadata'))).text();
  }
}

/** The outcome for a client: a whole answer, or an error of whatever kind. */
type Outcome = { readonly kind: 'whole'; readonly text: string } | { readonly kind: 'failed' };
const FAILED: Outcome = { kind: 'failed' };

const CLIENTS: Readonly<Record<string, (url: string) => Promise<Outcome>>> = {
  async fetch(url) {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    return response.text().then(
      (text): Outcome => ({ kind: 'whole', text }),
      () => FAILED,
    );
  },
  async curl(url) {
    const curl = spawn('curl', ['-sS', '--fail', '--globoff', url.replaceAll(' ', '%20')]);
    const chunks: Buffer[] = [];
    curl.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    const [code] = await once(curl, 'close');
    return code === 0 ? { kind: 'whole', text: Buffer.concat(chunks).toString() } : FAILED;
  },
  'curl with HTTP/1.0': async (url) => {
    const curl = spawn('curl', ['-sS', '--http1.0', '--fail', '--globoff', url.replaceAll(' ', '%20')]);
    const chunks: Buffer[] = [];
    curl.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    const [code] = await once(curl, 'close');
    return code === 0 ? { kind: 'whole', text: Buffer.concat(chunks).toString() } : FAILED;
  },
};

const EACH = Object.keys(FORMATS).flatMap((format) =>
  Object.keys(CLIENTS).map((client) => [format as keyof typeof FORMATS, client] as const),
);

describe('a list of many pages', () => {
  it.each(EACH)('is passed on as %s to %s', async (format, client) => {
    const list = await serveList();
    const { path, rows } = FORMATS[format];
    const outcome = await CLIENTS[client]?.(urlOf(list, path));
    expect(outcome?.kind === 'whole' && rows(outcome.text)).toStrictEqual(things(ROWS));
  });

  it('has no entity tag, and no length', async () => {
    const list = await serveList();
    for (const { path } of Object.values(FORMATS)) {
      const response = await fetch(urlOf(list, path));
      await response.text();
      const { headers } = response;
      expect([headers.get('etag'), headers.get('content-length')]).toStrictEqual([null, null]);
    }
  });

  it('is answered as a whole with its entity tag where it is short', async () => {
    const list = await serveList({ rows: things(700) });
    const response = await fetch(urlOf(list, FORMATS.csv.path));
    expect(response.headers.get('etag')).toMatch(/^W\//);
    expect(FORMATS.csv.rows(await response.text())).toStrictEqual(things(700));
  });

  it.each([
    "Thing?$filter=Name ne ''",
    "Thing?$filter=Name ne ''&$format=application/json;odata.metadata=full",
    "Thing?$filter=Name ne ''&$format=application/json;odata.metadata=none;IEEE754Compatible=true",
    'Thing?$filter=Id mod 2 eq 0&$select=Name',
    'Thing?$filter=Id mod 3 eq 0&$compute=Id add 1 as Next&$select=Next&$skip=100',
    'Thing?$skip=1700&$top=2500&$select=Id',
    'Thing?$search=7&$top=1500&$select=Id',
    "Thing?$format=csv&$skip=5&$filter=contains(Name,'9')",
    'Thing?$format=application/x-ndjson&$top=3000',
  ])('is the same whether it is passed on or held: %s', async (path) => {
    const list = await serveList();
    const url = urlOf(list, path);
    const passedOn = await fetch(url);
    expect(passedOn.headers.get('transfer-encoding')).toBe('chunked');
    expect(await textOf(passedOn)).toBe(await heldAnswer(url.replaceAll(' ', '%20')));
  });

  it.each<[string, RequestInit]>([
    ['a part of a batch', {}],
    ['an answer for later', { headers: { prefer: 'respond-async,wait=10' } }],
  ])('is held as %s', async (what, init) => {
    const list = await serveList();
    const url = urlOf(list, 'Thing?$filter=true');
    const response =
      what === 'a part of a batch'
        ? await fetch(urlOf(list, '$batch'), {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ requests: [{ id: '1', method: 'GET', url: 'Thing?$filter=true' }] }),
          })
        : await fetch(url, init);
    expect(response.headers.get('content-length')).not.toBe(null);
    expect((await response.text()).match(/"Name"/g)).toHaveLength(ROWS);
  });

  it('has the header fields alone for HEAD, of one portion', async () => {
    const list = await serveList();
    const response = await fetch(urlOf(list, 'Thing?$format=csv'), { method: 'HEAD' });
    expect([response.status, response.headers.get('content-type')]).toStrictEqual([
      200,
      'text/csv;charset=utf-8;header=present',
    ]);
    await untilIdle(list);
    expect(list.queries().length).toBeLessThan(PAGES);
  });

  it.each<[string, RequestInit]>([
    ['has read its header fields alone', { method: 'HEAD' }],
    ['knows another state', { headers: { 'if-match': '"x"' } }],
  ])('leaves its place to others once a client %s', async (_, init) => {
    const list = await serveList({ environment: { EXPORTS_AT_ONCE: '1', PAGES_ROWS: '2000' } });
    const url = urlOf(list, 'Thing?$format=csv');
    for (let times = 0; times < 3; times += 1) await (await fetch(url, init)).text();
    await expect
      .poll(async () => (await fetch(url, { method: 'HEAD' })).status, { timeout: 10_000 })
      .toBe(200);
  });

  it('is no state that a condition can name', async () => {
    const list = await serveList();
    const response = await fetch(urlOf(list, 'Thing?$format=csv'), { headers: { 'if-match': '"x"' } });
    expect(response.status).toBe(412);
  });
});

type Fault = (page: number, reply: Reply) => boolean;

const onPage =
  (wanted: number, answer: (reply: Reply) => void): Fault =>
  (page, reply) => {
    if (page === wanted) answer(reply);
    return page === wanted;
  };

const FAULTS: Readonly<Record<string, Fault>> = {
  'is answered with 500': onPage(7, (reply) => reply.send(500, '{}')),
  'breaks off': onPage(7, (reply) => reply.reset()),
  'never comes': onPage(7, () => undefined),
  'repeats a row': onPage(7, (reply) => reply.json({ items: things(3_001).slice(2_999) })),
  'has another schema': onPage(7, (reply) => reply.json({ items: [{ id: 'x', name: { first: 1 } }] })),
  'is HTML': onPage(7, (reply) => reply.send(200, '<p>', { 'content-type': 'text/html' })),
};

describe('a list whose seventh page', () => {
  const each = Object.keys(FAULTS).flatMap((fault) =>
    EACH.map(([format, client]) => [fault, format, client] as const),
  );

  it.each(each)('%s is no list for a client of %s: %s', async (fault, format, client) => {
    const list = await serveList({
      fault: FAULTS[fault] ?? (() => false),
      environment: { UPSTREAM_TIMEOUT_MS: '300' },
    });
    expect(await CLIENTS[client]?.(urlOf(list, FORMATS[format].path))).toStrictEqual(FAILED);
  });
});

/** Reads a list as Power Query does: page by page, by next links. */
async function followLinks(url: string, headers: Readonly<Record<string, string>>): Promise<Outcome> {
  const rows: Thing[] = [];
  for (let next: string | undefined = url; next !== undefined; ) {
    const response: Response = await fetch(next, { headers });
    if (response.status !== 200) return FAILED;
    const text = await response.text().catch(() => '');
    try {
      const page = JSON.parse(text) as ListPage;
      rows.push(...page.value.map(asThing));
      next = page['@odata.nextLink'];
    } catch {
      return FAILED;
    }
  }
  return { kind: 'whole', text: JSON.stringify(rows) };
}

interface ListPage {
  readonly value: readonly { readonly Id: number; readonly Name: string }[];
  readonly '@odata.nextLink'?: string;
}

describe('a client that follows next links', () => {
  const WAYS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['Thing', {}],
    ["Thing?$filter=Name ne ''", {}],
    ["Thing?$filter=Name ne ''", { prefer: 'odata.maxpagesize=1500' }],
    ['Thing?$top=5500', { prefer: 'odata.maxpagesize=700' }],
  ];

  it.each(WAYS)('has all of %s %o', async (path, headers) => {
    const list = await serveList();
    const rows = things(path.includes('$top') ? 5_500 : ROWS);
    expect(await followLinks(urlOf(list, path), headers)).toStrictEqual({
      kind: 'whole',
      text: JSON.stringify(rows),
    });
  });

  it.each(WAYS)('takes no part of %s %o for the whole', async (path, headers) => {
    for (const fault of ['is answered with 500', 'is HTML', 'has another schema', 'breaks off']) {
      const list = await serveList({ fault: FAULTS[fault] ?? (() => false) });
      expect([fault, await followLinks(urlOf(list, path), headers)]).toStrictEqual([fault, FAILED]);
    }
  });
});

describe.skipIf(!HAS_BROWSER)('a page in a browser', () => {
  const browser = useBrowser();

  async function readInPage(list: PagedList, path: string): Promise<Outcome> {
    const { page } = await browser.open(list.gateway.url);
    await page.goto('/health/live');
    return page.evaluate(
      (url) =>
        fetch(url)
          .then((response) => response.text())
          .then(
            (text) => ({ kind: 'whole', text }) as const,
            () => ({ kind: 'failed' }) as const,
          ),
      `/odata/${path}`,
    );
  }

  it('has all of a list, and takes no part of it for the whole', async () => {
    const list = await serveList();
    const broken = await serveList({ fault: FAULTS['repeats a row'] ?? (() => false) });
    for (const { path, rows } of Object.values(FORMATS)) {
      const outcome = await readInPage(list, path);
      expect(outcome.kind === 'whole' && rows(outcome.text)).toStrictEqual(things(ROWS));
      expect(await readInPage(broken, path)).toStrictEqual(FAILED);
    }
  });
});

describe('an error behind the first byte', () => {
  it.each(Object.keys(FORMATS) as readonly (keyof typeof FORMATS)[])(
    'is told in a trailer to a client of %s that reads trailers',
    async (format) => {
      const list = await serveList({ fault: FAULTS['is HTML'] ?? (() => false) });
      const sent = request(urlOf(list, FORMATS[format].path.replaceAll(' ', '%20')), {
        headers: { te: 'trailers' },
      });
      sent.end();
      const [response] = await once(sent, 'response');
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      expect(response.headers.trailer).toBe('OData-Error');
      expect(JSON.parse(response.trailers['odata-error'])).toMatchObject({
        error: { code: 'UpstreamBadResponse' },
      });
      expect(text.at(-1)).toBe({ json: '}', csv: '"', jsonl: '{' }[format]);
      expect(() => FORMATS[format].rows(text)).toThrow();
    },
  );

  it('is logged', async () => {
    const list = await serveList({ fault: FAULTS['is answered with 500'] ?? (() => false) });
    await CLIENTS['fetch']?.(urlOf(list, 'Thing?$format=csv'));
    expect(list.entries()).toContainEqual(expect.objectContaining({ msg: 'an answer broke off' }));
    expect(JSON.stringify(list.entries())).toContain('status 500');
  });
});

describe('a client that does not read', () => {
  /** A list of 48 MB: more than the system holds between the gateway and the client. */
  const rows = things(ROWS).map(({ id }) => ({ id, name: `${id} ${'x'.repeat(8_000)}` }));

  /** A connection on which the answer has begun, and of which no more than that is read. */
  async function openSocket(list: PagedList, path: string): Promise<Socket> {
    const { hostname, port } = new URL(list.gateway.url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.write(`GET /odata/${path} HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
    await once(socket, 'readable');
    expect(String(socket.read(12))).toBe('HTTP/1.1 200');
    return socket;
  }

  it('has no further page read, and holds no place at the API', async () => {
    const list = await serveList({ rows, environment: { UPSTREAM_CONNECTIONS: '1' } });
    const socket = await openSocket(list, 'Thing?$format=csv');
    await untilIdle(list);
    expect(list.queries().length).toBeLessThan(PAGES);
    expect((await fetch(urlOf(list, 'Thing?$top=1'))).status).toBe(200);
    socket.resume();
    let length = 0;
    socket.on('data', (chunk: Buffer) => {
      length += chunk.length;
    });
    await expect.poll(() => length, { timeout: 30_000 }).toBeGreaterThan(48_000_000);
    const pages = list.queries().filter((query) => query.includes(`limit=${SIZE}`));
    expect(pages).toStrictEqual([...new Set(pages)]);
  });

  it('has nothing read any more once it is gone, and leaves its place to others', async () => {
    const list = await serveList({ rows, environment: { EXPORTS_AT_ONCE: '1', PAGES_ROWS: '5000' } });
    const socket = await openSocket(list, 'Thing?$format=csv');
    const held = await fetch(urlOf(list, 'Thing?$format=jsonl&$top=2000'));
    expect([held.status, held.headers.get('transfer-encoding')]).toStrictEqual([200, null]);
    await held.text();
    const refused = await fetch(urlOf(list, 'Thing?$format=jsonl'));
    expect([refused.status, await refused.json()]).toMatchObject([
      429,
      { error: { code: 'TooManyRequests', message: expect.stringContaining('(EXPORTS_AT_ONCE)') } },
    ]);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    socket.destroy();
    await untilIdle(list);
    expect(list.queries().length).toBeLessThan(3 * PAGES);
    await expect
      .poll(async () => (await fetch(urlOf(list, 'Thing?$format=jsonl'))).status, { timeout: 10_000 })
      .toBe(200);
  });
});

describe('the length of a list', () => {
  const withTotal: ListDocument = { ...PAGED, answer: { total: integer } };

  it.each([
    ['Thing?$format=csv', { EXPORT_ROWS: '5000' }, 'EXPORT_ROWS', 5_000],
    ['Thing?$orderby=Name', { PAGES_ROWS: '5999' }, 'PAGES_ROWS', 5_999],
    ['Thing?$apply=orderby(Name)/skip(3)', { PAGES_ROWS: '5000' }, 'PAGES_ROWS', 5_000],
  ])('is beyond the limit on its first page: %s', async (path, environment, variable, most) => {
    const list = await serveList({ document: withTotal, say: { total: ROWS }, environment });
    const response = await fetch(urlOf(list, path));
    const { error } = (await response.json()) as { readonly error: object };
    expect([response.status, error]).toMatchObject([
      400,
      {
        code: 'BadRequest',
        message: expect.stringContaining(
          `it has 6000 rows, and at most ${most} rows (${variable}) are read.`,
        ),
      },
    ]);
    expect(list.queries()).toHaveLength(1);
  });

  it('is within the limit where only a part of it is wanted', async () => {
    const list = await serveList({
      document: withTotal,
      say: { total: ROWS },
      environment: { PAGES_ROWS: '5000' },
    });
    expect(await list.ask('Thing?$top=4000&$select=Id')).toEqual({ status: 200, keys: '1-4000' });
  });

  it('ends a list that is passed on where nothing says it before', async () => {
    const list = await serveList({ environment: { EXPORT_ROWS: '5000' } });
    expect(await CLIENTS['curl']?.(urlOf(list, 'Thing?$format=csv'))).toStrictEqual(FAILED);
    expect(JSON.stringify(list.entries())).toContain('the list is too long');
  });

  it('may be more than a list has that is held', async () => {
    const list = await serveList({ environment: { PAGES_ROWS: '600', PAGES_MIB: '1', QUERY_MS: '400' } });
    const outcome = await CLIENTS['curl']?.(urlOf(list, FORMATS.csv.path));
    expect(outcome?.kind === 'whole' && FORMATS.csv.rows(outcome.text)).toStrictEqual(things(ROWS));
  });
});
