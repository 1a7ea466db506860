import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { modelFromOpenApi } from '../../src/model/derive/model-from-openapi.ts';
import type { Model } from '../../src/model/model.ts';
import { writeCsdlJson } from '../../src/odata/payload/csdl/csdl-json.ts';
import { writeCsdlXml } from '../../src/odata/payload/csdl/csdl-xml.ts';
import { readDescription } from '../../src/openapi/openapi-description.ts';
import { jsonOfXml } from '../support/csdl.ts';
import { hasRealDocuments, realDocuments } from './real-apis/wanted-lists.ts';

const schema = new URL('../../../shared/conformance/csdl/edmx.xsd', import.meta.url);
const isCheckable = existsSync(schema) && spawnSync('xmllint', ['--version']).error === undefined;
if (!isCheckable) console.info('Not run: the OASIS schemas for CSDL, because they or xmllint are missing');

/** The documents of the repository, and the real ones beside it. */
const FOLDERS = ['../../openapi/', '../odata/payload/', '../../../shared/openapi/'];

const files = FOLDERS.map((folder) => new URL(folder, import.meta.url))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((name) => fileURLToPath(new URL(name, folder))))
  .filter((file) => /(?<!meshrc)\.(?:ya?ml|json)$/.test(file));

if (!hasRealDocuments)
  console.info('Not run: real OpenAPI documents, because ../shared/openapi/real is missing');

/** Name, and how its document is read. */
const documents: readonly (readonly [string, () => unknown])[] = [
  ...files.map((file) => [file, (): unknown => parse(readFileSync(file, 'utf8'))] as const),
  ...realDocuments().map(
    ({ file, text }) => [file, (): unknown => readDescription({ document: text() }).document] as const,
  ),
];

describe.each(documents)('the metadata document of %s', (_, read) => {
  let model: Model;
  beforeAll(() => {
    model = modelFromOpenApi([{ name: 'Source', document: read() }]).model;
  });

  it.skipIf(!isCheckable).each(['4.0', '4.01'] as const)('is valid CSDL XML %s', (version) => {
    const options = ['--noout', '--nonet', '--schema', fileURLToPath(schema), '-'];
    const { status, stderr } = spawnSync('xmllint', options, { input: writeCsdlXml(model, version) });
    expect([status, String(stderr)]).toStrictEqual([0, '- validates\n']);
  });

  it('says the same in both forms', () => {
    expect(JSON.parse(writeCsdlJson(model))).toStrictEqual(jsonOfXml(writeCsdlXml(model, '4.01')));
  });
});
