import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLUB } from './worlds/club-world.ts';
import { SHOP } from './worlds/shop-world.ts';
import { type Question, serveWorld, type World } from './worlds/world.ts';

type Served = Awaited<ReturnType<typeof serveWorld>>;

/** The keys of the rows, or the number, that a question is answered with; the text of anything else. */
function answered(
  { expected, anyOrder }: Question,
  key: string,
  { text, rows }: Awaited<ReturnType<Served['ask']>>,
): unknown {
  if (text !== undefined) return typeof expected === 'number' ? Number(text) : text;
  const keys = rows.map((row) => row[key]) as (string | number)[];
  return anyOrder === true ? keys.toSorted() : keys;
}

function wanted({ expected, anyOrder }: Question): unknown {
  return typeof expected !== 'number' && anyOrder === true ? expected.toSorted() : expected;
}

/** The property of the key in the model. */
function keyOf({ collections }: World, { query }: Question): string {
  const [, set = ''] = /^(\w+)/.exec(query) ?? [];
  const { key = 'id' } = collections.find(({ schema }) => schema === set) ?? {};
  return key.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

describe.each([
  ['a shop whose parameters do what they are called', SHOP],
  ['a club some of whose parameters lie', CLUB],
])('%s', (_, world) => {
  const stops: (() => unknown)[] = [];
  let served: Served;
  beforeAll(async () => {
    served = await serveWorld(world, (stop) => stops.push(stop));
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  // The first time, parameters are tried out.
  it.each([
    ['the first time', 2.5],
    ['the second time', 1.2],
  ])('is answered right, by few calls more than the fewest, %s', { timeout: 60_000 }, async (_, factor) => {
    let [calls, fewest] = [0, 0];
    for (const question of world.questions) {
      const answer = await served.ask(question.query);
      const found = answered(question, keyOf(world, question), answer);
      expect([question.query, found]).toStrictEqual([question.query, wanted(question)]);
      calls += answer.calls;
      fewest += question.fewest;
    }
    expect(calls).toBeLessThanOrEqual(fewest * factor);
  });
});
