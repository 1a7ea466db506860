import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe } from 'vitest';
import { parse } from 'yaml';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import type { Model } from '../../src/model/model.ts';
import { itHasMetadata } from './metadata-document.ts';

/** The documents of the repository, and those beside it; `real-models.test.ts` has the largest ones. */
const FOLDERS = ['../../openapi/', '../odata/payload/', '../../../shared/openapi/'];

const files = FOLDERS.map((folder) => new URL(folder, import.meta.url))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((name) => fileURLToPath(new URL(name, folder))))
  .filter((file) => /(?<!meshrc)\.(?:ya?ml|json)$/.test(file));

describe.each(files)('the model of %s', (file) => {
  let model: Model;
  beforeAll(() => {
    const document: unknown = parse(readFileSync(file, 'utf8'));
    model = modelFromOpenApi([{ name: 'Source', document }]).model;
  });

  itHasMetadata(() => model);
});
