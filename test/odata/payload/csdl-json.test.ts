import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { modelFromOpenApi } from '../../../src/derive/model-from-openapi.ts';
import type { Model } from '../../../src/model/model.ts';
import { writeCsdlJson } from '../../../src/odata/payload/csdl/csdl-json.ts';
import { writeCsdlXml } from '../../../src/odata/payload/csdl/csdl-xml.ts';
import { jsonOfXml } from '../../support/csdl.ts';

async function modelOf(file: string): Promise<Model> {
  const document: unknown = parse(await readFile(new URL(file, import.meta.url), 'utf8'));
  return modelFromOpenApi([{ name: 'Source', document }]).model;
}

describe('writeCsdlJson', () => {
  it.each(['../../../openapi/posts.yaml', './csdl-shop.yaml'])(
    'says of %s what the XML form says, as the converter of the OASIS committee reads it',
    async (file) => {
      const model = await modelOf(file);
      expect(JSON.parse(writeCsdlJson(model))).toEqual(jsonOfXml(writeCsdlXml(model, '4.01')));
    },
  );

  it('has no container where nothing is served', () => {
    const { model } = modelFromOpenApi([{ name: 'Empty', document: { openapi: '3.1.0' } }]);
    expect(JSON.parse(writeCsdlJson(model))).toEqual({ $Version: '4.01', Empty: {} });
  });
});
