import { describe, expect, it } from 'vitest';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { readDescription } from '../../src/openapi/openapi-description.ts';
import { findMarked, markedForeignKeys } from './real-apis/marked-foreign-keys.ts';
import { hasRealDocuments, realDocuments } from './real-apis/wanted-lists.ts';

if (!hasRealDocuments)
  console.info('Not run: foreign keys of real APIs, because ../shared/openapi/real is missing');

/** Relations that a person looked at beside those that are marked, by document: all of them are right. */
const LOOKED_AT: Readonly<Record<string, number>> = {
  asana: 25,
  box: 8,
  jira: 18,
  mastodon: 2,
  netbox: 5,
  pagerduty: 41,
  petstore: 1,
  square: 5,
  stripe: 19,
  superset: 3,
  'twilio-api': 3,
};

describe.skipIf(!hasRealDocuments)('foreign keys of real APIs', { timeout: 120_000 }, () => {
  it('are served or suggested, as far as a person marked them', () => {
    const counts = { served: 0, suggested: 0, missed: 0 };
    const others: Record<string, number> = {};
    for (const { name, text } of realDocuments()) {
      const { document } = readDescription({ document: text() });
      const { model, report } = modelFromOpenApi([{ name: 'Api', document }]);
      const suggestions = report.filter(({ rule }) => rule === 'reference-suggested');
      const marks = markedForeignKeys().filter((mark) => mark.document === name);
      const found = findMarked(
        model,
        marks,
        suggestions.map(({ message }) => message),
      );
      counts.served += found.served.length;
      counts.suggested += found.suggested.length;
      counts.missed += found.missed.length;
      if (found.unmarked.length > 0) others[name] = found.unmarked.length;
    }
    console.info('foreign keys', counts);
    expect(counts.served + counts.suggested).toBeGreaterThan(0.95 * (counts.missed + counts.served));
    expect(counts.served).toBeGreaterThan(10 * counts.suggested);
    expect(others).toStrictEqual(LOOKED_AT);
  });
});
