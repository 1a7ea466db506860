import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { xml2json } from 'odata-csdl';
import { describe, expect, it } from 'vitest';
import { ACCESS } from '../auth/account-client.ts';
import { useLibrary } from '../openapi/library-gateway.ts';
import { useGateway } from '../support/running-gateway.ts';

const schema = new URL('../../../shared/conformance/csdl/edmx.xsd', import.meta.url);
const isCheckable = existsSync(schema) && spawnSync('xmllint', ['--version']).error === undefined;
if (!isCheckable)
  console.info('Not run: the OASIS schema for vocabularies, because it or xmllint is missing');

interface Csdl {
  readonly [name: string]: unknown;
}

/** The vocabularies that the library's metadata references, and what those reference in turn. */
const NAMESPACES = [
  ...['Aggregation', 'Authorization', 'Capabilities', 'Core', 'Validation'].map(
    (name) => `Org.OData.${name}.V1`,
  ),
  ...['Analytics', 'Common', 'Communication', 'HTML5', 'Hierarchy', 'UI'].map(
    (name) => `com.sap.vocabularies.${name}.v1`,
  ),
];

const SAP = 'https://sap.github.io/odata-vocabularies/vocabularies';
const OASIS = 'https://oasis-tcs.github.io/odata-vocabularies/vocabularies';

/** The URLs of the references, and the namespaces that are included by them. */
function references(document: Csdl): readonly (readonly [string, string])[] {
  const all = (document['$Reference'] ?? {}) as Record<
    string,
    { $Include: readonly { $Namespace: string }[] }
  >;
  return Object.entries(all).flatMap(([uri, { $Include }]) =>
    $Include.map(({ $Namespace }) => [uri, $Namespace] as const),
  );
}

/** The terms that a document uses, without qualifiers: `Core.Description`. */
function usedTerms(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...[...name.matchAll(/@((?!odata\.)\w+\.\w+)/g)].flatMap(([, term]) => term ?? []),
    ...usedTerms(inner),
  ]);
}

/** Types and terms by their aliases, wherever a document says the namespace. */
const shortened = (text: string): string =>
  text.replace(/(?:Org\.OData|com\.sap\.vocabularies)\.(\w+)\.[Vv]1\.(?=\w+(?:[#@]|$))/g, '$1.');

/** One way of writing what may be written in several: names by aliases, references to the same form. */
function normalised(value: unknown, member = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => normalised(item, member));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        shortened(name).replace(/(\$vocabularies\/.*)\.xml$/, '$1.json'),
        normalised(inner, name),
      ]),
    );
  }
  if (typeof value !== 'string') return value;
  if (member === '@odata.type') return shortened(value).replace(/^.*#/, '#');
  return member.startsWith('$') ? shortened(value) : value;
}

describe('the vocabularies of the library', () => {
  const { url } = useLibrary();
  const read = async (address: string): Promise<Csdl> => {
    const text = await (await fetch(address)).text();
    return address.endsWith('json') ? JSON.parse(text) : { ...xml2json(text) };
  };

  it.each(['xml', 'json'])('are had by the references of $metadata, as %s', async (form) => {
    const found = new Map<string, Csdl>();
    const follow = async (document: Csdl): Promise<void> => {
      for (const [uri, namespace] of references(document)) {
        expect(uri).toBe(`${url()}/odata/$vocabularies/${namespace}.${form}`);
        if (found.has(namespace)) continue;
        found.set(namespace, await read(uri));
        await follow(found.get(namespace) ?? {});
      }
    };
    const metadata = await read(`${url()}/odata/$metadata?$format=${form}`);
    await follow(metadata);
    expect([...found.keys()].sort()).toStrictEqual(NAMESPACES);
    const terms = new Set([...found].flatMap(([namespace, document]) => termsOf(namespace, document)));
    const used = new Set(usedTerms(metadata));
    expect(used.size).toBeGreaterThan(20);
    expect([...used].filter((term) => !terms.has(term))).toStrictEqual([]);
  });

  it.each(NAMESPACES)('say the same in both forms: %s', async (namespace) => {
    const address = `${url()}/odata/$vocabularies/${namespace}`;
    expect(normalised(await read(`${address}.xml`))).toStrictEqual(normalised(await read(`${address}.json`)));
  });

  it.skipIf(!isCheckable).each(NAMESPACES)('are valid CSDL: %s', async (namespace) => {
    const input = await (await fetch(`${url()}/odata/$vocabularies/${namespace}.xml`)).text();
    const options = ['--noout', '--nonet', '--schema', fileURLToPath(schema), '-'];
    const { status, stderr } = spawnSync('xmllint', options, { input });
    expect([status, String(stderr)]).toStrictEqual([0, '- validates\n']);
  });

  it('say which members of enumerations and which properties values are', async () => {
    const text = await (await fetch(`${url()}/odata/$vocabularies/Org.OData.Core.V1.xml`)).text();
    const lines = text.split('\n').map((line) => line.trim());
    expect(lines).toContain(
      '<Term Name="Revisions" Type="Collection(Org.OData.Core.V1.RevisionType)" Nullable="false">',
    );
    expect(lines).toContain('<Record Type="Org.OData.Core.V1.PrimitiveExampleValue">');
    const aggregation = await (
      await fetch(`${url()}/odata/$vocabularies/Org.OData.Aggregation.V1.xml`)
    ).text();
    expect(aggregation).toContain(
      '<PropertyValue Property="Kind" EnumMember="Org.OData.Core.V1.RevisionKind/Deprecated"/>',
    );
  });
});

function termsOf(namespace: string, document: Csdl): readonly string[] {
  const alias = namespace.split('.').at(-2);
  return Object.entries(document[namespace] ?? {}).flatMap(([name, member]) =>
    (member as Csdl)['$Kind'] === 'Term' ? [`${alias}.${name}`] : [],
  );
}

describe('a vocabulary', () => {
  const gateway = useGateway(ACCESS);
  const CORE = '/odata/$vocabularies/Org.OData.Core.V1.json';

  it('is had by everybody, and kept for a week', async () => {
    const { status, headers, text } = await gateway.fetch(CORE);
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toStrictEqual([
      200,
      'application/json',
      'public, max-age=604800',
    ]);
    expect(JSON.parse(text)['Org.OData.Core.V1'].Description.$Kind).toBe('Term');
    const etag = headers.get('etag') ?? '';
    const again = await gateway.fetch(CORE, { headers: { 'if-none-match': etag } });
    expect([again.status, again.text, again.headers.get('etag')]).toStrictEqual([304, '', etag]);
    const xml = await gateway.fetch(CORE.replace('json', 'xml'), { headers: { 'if-none-match': etag } });
    expect([xml.status, xml.headers.get('content-type')]).toStrictEqual([200, 'application/xml']);
  });

  it.each([
    ['HEAD', CORE, 200, ''],
    ['OPTIONS', CORE, 204, ''],
    ['POST', CORE, 405, 'MethodNotAllowed'],
    ['GET', `${CORE}?$format=xml`, 200, ''],
    ['GET', '/odata/$vocabularies', 404, 'NotFound'],
    ['GET', '/odata/$vocabularies/', 404, 'NotFound'],
    ['GET', '/odata/$vocabularies/Org.OData.Core.V1', 404, 'NotFound'],
    ['GET', '/odata/$vocabularies/Org.OData.Temporal.V1.xml', 404, 'NotFound'],
    ['GET', '/odata/$vocabularies/constructor.json', 404, 'NotFound'],
    ['GET', '/odata/$vocabularies/..%2f..%2fpackage.json', 404, 'NotFound'],
    // A path that only begins like the vocabularies requires a sign-in, like all others.
    ['GET', '/odata/$vocabulariesx', 401, 'Unauthorized'],
  ])('answers %s %s with %s %s', async (method, path, expected, code) => {
    const { status, headers, text } = await gateway.fetch(path, { method });
    const found = status >= 400 ? JSON.parse(text).error.code : '';
    expect([status, found]).toStrictEqual([expected, code]);
    expect(headers.get('allow')).toBe(
      method === 'POST' || method === 'OPTIONS' ? 'GET, HEAD, OPTIONS' : null,
    );
  });
});

describe('VOCABULARIES=referenced', () => {
  const gateway = useGateway({ VOCABULARIES: 'referenced' });

  it.each(['xml', 'json'])('leads to those that OASIS and SAP publish, as %s', async (form) => {
    const { text } = await gateway.fetch(`/odata/$metadata?$format=${form}`);
    const metadata: Csdl = form === 'json' ? JSON.parse(text) : { ...xml2json(text) };
    const ofOasis = ['Core', 'Capabilities', 'Aggregation'].map((name) => `Org.OData.${name}.V1`);
    const ofSap = ['Common', 'UI'];
    expect(references(metadata).map(([, namespace]) => namespace)).toStrictEqual([
      ...ofOasis,
      ...ofSap.map((name) => `com.sap.vocabularies.${name}.v1`),
    ]);
    const addresses = [
      ...ofOasis.map((namespace) => `"${OASIS}/${namespace}.${form}"`),
      ...ofSap.map((name) => `"${SAP}/${name}.${form}"`),
    ];
    expect(addresses.filter((address) => !text.includes(address))).toStrictEqual([]);
  });
});

describe('CORS_ORIGINS', () => {
  const gateway = useGateway({ CORS_ORIGINS: 'https://ui.example.com' });

  it('are origins whose pages may read vocabularies, too', async () => {
    const origin = 'https://ui.example.com';
    const { headers } = await gateway.fetch('/odata/$vocabularies/Org.OData.Core.V1.xml', {
      headers: { origin },
    });
    expect(headers.get('access-control-allow-origin')).toBe(origin);
  });
});
