import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { modelFromOpenApi } from '../../src/model/derive/model-from-openapi.ts';
import { readDescription } from '../../src/openapi/openapi-description.ts';
import { suggestOverlay } from '../../src/project/suggestion/suggest-overlay.ts';

const folder = fileURLToPath(new URL('../../../shared/openapi/real/', import.meta.url));
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.gz')) : [];
if (files.length === 0)
  console.info('Not run: real OpenAPI documents, because ../shared/openapi/real is missing');

const modelOf = (document: unknown) => modelFromOpenApi([{ name: 'Api', document }]).model.description;

describe.skipIf(files.length === 0)('the overlay that is suggested for a real document', () => {
  it.each(files)(
    'leaves the model of %s as it is, and says what is in it',
    (name) => {
      const document = gunzipSync(readFileSync(`${folder}${name}`)).toString();
      const plain = readDescription({ document });
      const text = suggestOverlay(plain, undefined);
      const overlaid = readDescription({ document, overlay: { file: 'suggested', text } });
      expect(modelOf(overlaid.document)).toStrictEqual(modelOf(plain.document));
      expect(text).toMatch(/^ {2}- target: /m);
    },
    120_000,
  );
});
