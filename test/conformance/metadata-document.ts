import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Model } from '../../src/model/model.ts';
import { writeCsdlJson } from '../../src/odata/payload/csdl/csdl-json.ts';
import { writeCsdlXml } from '../../src/odata/payload/csdl/csdl-xml.ts';
import { jsonOfXml } from '../support/csdl.ts';

const schema = new URL('../../../shared/conformance/csdl/edmx.xsd', import.meta.url);
const isCheckable = existsSync(schema) && spawnSync('xmllint', ['--version']).error === undefined;
if (!isCheckable) console.info('Not run: the OASIS schemas for CSDL, because they or xmllint are missing');

/** Has tests that the metadata document of a model is what the OASIS schemas for CSDL demand, and one in both forms. */
export function itHasMetadata(model: () => Model): void {
  it.skipIf(!isCheckable).each(['4.0', '4.01'] as const)('has valid CSDL XML %s', (version) => {
    const options = ['--noout', '--nonet', '--schema', fileURLToPath(schema), '-'];
    const { status, stderr } = spawnSync('xmllint', options, { input: writeCsdlXml(model(), version) });
    expect([status, String(stderr)]).toStrictEqual([0, '- validates\n']);
  });

  it('has the same CSDL in XML and in JSON', () => {
    expect(JSON.parse(writeCsdlJson(model()))).toStrictEqual(jsonOfXml(writeCsdlXml(model(), '4.01')));
  });
}
