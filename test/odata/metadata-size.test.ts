import { describe, expect, it } from 'vitest';
import { serveDocument } from '../openapi/served-document.ts';

const SETS = 120;
const LONG = 'Says at some length what the value is for, and who gives it, and when it changes. '.repeat(8);

/** A document of sets with long descriptions, and of `columns` properties each. */
function largeDocument(sets: number, columns: number): string {
  const names = Array.from({ length: sets }, (_, index) => `Thing${index}x`);
  const properties = Object.fromEntries(
    Array.from({ length: columns }, (_, index) => [
      `columnNumber${index}`,
      { type: 'string', description: LONG, enum: ['a-b', 'b-c', 'c-d'], examples: ['a-b'] },
    ]),
  );
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Large', version: '1' },
    paths: Object.fromEntries(
      names.map((name) => [
        `/${name}`,
        {
          get: {
            operationId: `list${name}`,
            responses: {
              200: {
                description: 'OK',
                content: {
                  'application/json': {
                    schema: { type: 'array', items: { $ref: `#/components/schemas/${name}` } },
                  },
                },
              },
            },
          },
        },
      ]),
    ),
    components: {
      schemas: Object.fromEntries(
        names.map((name) => [
          name,
          { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, ...properties } },
        ]),
      ),
    },
  });
}

describe('$metadata of a service with many sets', () => {
  it('is below 5 KB for each set, and has all annotations for a client that asks for them', async () => {
    const { gateway } = await serveDocument(largeDocument(SETS, 12));
    const read = async (query = '', headers: Record<string, string> = {}) => {
      const response = await fetch(`${gateway.url}/odata/$metadata${query}`, { headers });
      return { text: await response.text(), headers: response.headers, status: response.status };
    };
    const terms = (text: string) =>
      new Set([...text.matchAll(/(?:Term="|"@)(\w+\.\w+)/g)].map(([, term]) => term));
    for (const [accept, format] of [
      ['application/xml', 'xml'],
      ['application/json', 'json'],
    ] as const) {
      const chosen = await read('', { accept });
      expect(chosen.text.length / SETS).toBeLessThan(5000);
      expect(terms(chosen.text)).toContain('Capabilities.InsertRestrictions');
      expect(terms(chosen.text)).not.toContain('Core.Description');
      expect(chosen.headers.get('vary')?.toLowerCase()).toContain('prefer');

      const all = await read('', { accept, prefer: 'include-annotations="*"' });
      expect(all.headers.get('preference-applied')).toBe('include-annotations="*"');
      for (const term of ['Core.Description', 'Core.Example', 'Validation.AllowedValues', 'UI.FieldGroup'])
        expect(terms(all.text)).toContain(term);
      expect(all.headers.get('etag')).not.toBe(chosen.headers.get('etag'));
      expect((await read(`?$format=${format}&include-annotations=*`)).text).toBe(all.text);

      const shown = await read(`?$format=${format}&include-annotations=com.sap.vocabularies.UI.v1.*`);
      expect(terms(shown.text)).toContain('UI.FieldGroup');
      expect(terms(shown.text)).not.toContain('Core.Description');

      const none = await read(`?$format=${format}&include-annotations=-*`);
      expect(terms(none.text)).toStrictEqual(new Set());
      // Names that are no annotations change nothing.
      expect((await read(`?$format=${format}&include-annotations=${'x'.repeat(2000)}!`)).text).toBe(
        chosen.text,
      );
    }
  });

  it('has all annotations if it is small', async () => {
    const { gateway } = await serveDocument(largeDocument(2, 12));
    const text = await (await fetch(`${gateway.url}/odata/$metadata`)).text();
    expect(text).toContain('Term="Core.Description"');
    expect(text).toContain('Term="UI.FieldGroup"');
  });
});
