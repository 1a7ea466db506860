import { describe, expect, it } from 'vitest';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { explainQuery } from '../../src/odata/explain-query.ts';
import { readDescription } from '../../src/openapi/openapi-description.ts';
import { QUESTIONS } from './real-apis/questions.ts';
import { hasRealDocuments, realDocuments } from './real-apis/wanted-lists.ts';

/** The plans of the questions about one document: without parameters, and once all of them have proved what they do. */
function plansOf(name: string): readonly { readonly query: string; readonly plans: readonly string[] }[] {
  const document =
    realDocuments()
      .find((each) => each.name === name)
      ?.text() ?? '';
  const { model } = modelFromOpenApi([{ name: 'Api', document: readDescription({ document }).document }]);
  return QUESTIONS.filter(([of]) => of === name).map(([, query]) => ({
    query,
    plans: explainQuery(model, query).trimEnd().split('\n'),
  }));
}

/** Whether the plan of a line reads all of a list. */
const isWhole = (line: string): boolean => /: list$/.test(line);

describe.skipIf(!hasRealDocuments)('fifty questions about real APIs', { timeout: 120_000 }, () => {
  it('need whole lists less often once parameters have proved what they do', () => {
    const all = [...new Set(QUESTIONS.map(([name]) => name))].flatMap(plansOf);
    const declared = all.filter(({ plans: [first = ''] }) => isWhole(first)).map(({ query }) => query);
    const derived = all.filter(({ plans }) => isWhole(plans.at(-1) ?? '')).map(({ query }) => query);
    expect([all.length, declared.length]).toStrictEqual([50, 38]);
    expect(derived).toStrictEqual([
      "Tags?$filter=Name eq 'urgent'",
      "Users?$filter=Email eq 'ann@example.com'",
      "Groups?$filter=Name eq 'Sales'",
      "Customer?$filter=GivenName eq 'Ann'",
      "PaymentIntent?$filter=Customer eq 'cus_1'",
      'Chart?$filter=Id eq 7',
      "Dashboard?$filter=DashboardTitle eq 'Sales'",
      "Station?$filter=Name eq 'Berlin'",
    ]);
  });
});
