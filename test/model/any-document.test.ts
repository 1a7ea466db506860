import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { writeCsdlJson } from '../../src/odata/payload/csdl/csdl-json.ts';
import { writeCsdlXml } from '../../src/odata/payload/csdl/csdl-xml.ts';
import { jsonOfXml } from '../support/csdl.ts';

const FILES = ['../../openapi/posts.yaml', '../odata/payload/csdl-shop.yaml'];
const documents = FILES.map((file): unknown => parse(readFileSync(new URL(file, import.meta.url), 'utf8')));

/** Unexpected values. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('__proto__', { $ref: '#' }, { $ref: '#/paths' }, { $ref: '#/components/schemas/Product' }),
  fc.constantFrom(
    { type: 'object' },
    { allOf: [{ $ref: '#/components/schemas/Post' }] },
    { oneOf: [{ type: 'null' }] },
  ),
);

interface Slot {
  readonly holder: Record<string, unknown>;
  readonly name: string;
}

function slotsOf(value: unknown): readonly Slot[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((name) => [{ holder, name }, ...slotsOf(holder[name])]);
}

describe('a document with anything anywhere', () => {
  it('has a model, and the two forms of its metadata agree', () => {
    const changes = fc.array(fc.tuple(fc.nat(), anything), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.constantFrom(...documents), changes, (written, changed) => {
        const document = structuredClone(written);
        const slots = slotsOf(document);
        for (const [position, value] of changed) {
          const slot = slots[position % slots.length];
          if (slot !== undefined) slot.holder[slot.name] = value;
        }
        const { model } = modelFromOpenApi([{ name: 'Any', document }]);
        expect(JSON.parse(writeCsdlJson(model))).toEqual(jsonOfXml(writeCsdlXml(model, '4.01')));
      }),
      { numRuns: 200 },
    );
  });
});
