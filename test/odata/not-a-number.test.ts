import { beforeEach, expect, it } from 'vitest';
import { postsApi, useGateway } from '../support/running-gateway.ts';

const gateway = useGateway();
beforeEach(() => gateway.upstream.behave(postsApi));

const IDS = ['1', '2', '3', '10'];

/** Four numbers in the order of the list, of which one is NaN at any of the places. */
const valuesWithNaN = (place: number): string =>
  `case(${IDS.map((id, index) => `Id eq '${id}':${index === place ? 'NaN' : `${index + 1}.5`}`).join(',')})`;

/** Data Aggregation 4.0, 3.1.3: the result for a set does not depend on the order of its values. */
it.each([
  [0, { min: 2.5, max: 4.5 }],
  [1, { min: 1.5, max: 4.5 }],
  [2, { min: 1.5, max: 4.5 }],
  [3, { min: 1.5, max: 3.5 }],
])('an aggregate of values with NaN at place %i', async (place, extremes) => {
  const methods = ['min', 'max', 'sum', 'average'].map((method) => `V with ${method} as ${method}`);
  const query = `$apply=compute(${valuesWithNaN(place)} as V)/aggregate(${methods})`;
  const { text } = await gateway.fetch(`/odata/Post?${encodeURI(query)}`);
  expect(JSON.parse(text).value).toEqual([
    expect.objectContaining({ ...extremes, sum: 'NaN', average: 'NaN' }),
  ]);
});

it.each([
  [0, ['1', '2', '3', '10']],
  [1, ['2', '1', '3', '10']],
  [2, ['3', '1', '2', '10']],
  [3, ['10', '1', '2', '3']],
])('an order of values with NaN at place %i', async (place, ids) => {
  const order = async (direction: string) => {
    const query = `$compute=${valuesWithNaN(place)} as V&$orderby=V ${direction}&$select=Id`;
    const { text } = await gateway.fetch(`/odata/Post?${encodeURI(query)}`);
    return JSON.parse(text).value.map(({ Id }: { readonly Id: string }) => Id);
  };
  expect([await order('asc'), await order('desc')]).toEqual([ids, ids.toReversed()]);
});
