import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/contract/gateway-error.ts';
import { type Row, TYPE } from '../../../src/contract/row.ts';
import { readEntityBody } from '../../../src/odata/payload/body/request-body.ts';
import { writeEntity } from './at-once.ts';
import { animals, MINIMAL } from './shapes.ts';
import { entityTypeNamed, SENT_ANIMAL, ZOO } from './zoo.ts';

const ordinary = { noNullPrototype: true } as const;
const text = fc.string({ unit: 'grapheme', maxLength: 5 });
const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const int64 = fc
  .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value));
const digits = (count: number) => fc.integer({ min: 10 ** (count - 1), max: 10 ** count - 1 });
/** More digits than a double has. */
const longDecimal = fc.tuple(digits(9), digits(9)).map(([left, right]) => `${left}.${right}1`);
const home = fc.record({ Kind: fc.constant('x'), City: text, Rent: orNull(longDecimal) }, ordinary);
const cage = fc.record(
  {
    Bars: orNull(int64),
    Kind: fc.constant('cage'),
    City: text,
    [TYPE]: fc.constant('Cage'),
  },
  ordinary,
);
const animal: fc.Arbitrary<Row> = fc.record(
  {
    Kind: fc.constant('x'),
    Name: text.map((name) => `A${name}`.slice(0, 4).toWellFormed()),
    Weight: orNull(fc.integer({ min: 0, max: 99_999 }).map((cents) => cents / 100)),
    Chip: orNull(int64),
    Height: orNull(fc.double().map((height) => (height === 0 ? 0 : height))),
    Tame: orNull(fc.boolean()),
    Mood: orNull(fc.constantFrom('calm', 'very_angry')),
    Skills: orNull(fc.constantFrom('Swim', 'Fly,Run')),
    Tags: fc.array(text.map((tag) => tag.slice(0, 5).toWellFormed())),
    Home: orNull(home),
    Homes: fc.array(fc.oneof(home, cage)),
  },
  ordinary,
);
const format = fc.record({
  metadata: fc.constantFrom('minimal' as const, 'full' as const),
  ieee754Compatible: fc.boolean(),
  exponentialDecimals: fc.boolean(),
});

describe('what is written', () => {
  it('is read again as what it was, in every format and version', () => {
    fc.assert(
      fc.property(animal, format, fc.constantFrom('4.0' as const, '4.01' as const), (row, style, version) => {
        const shape = animals(Object.keys(row), { format: { ...MINIMAL, ...style }, version });
        const body = Buffer.from(writeEntity(shape, row));
        const headers = { 'content-type': 'application/json', 'odata-version': version };
        const options = { kind: 'insert', sent: SENT_ANIMAL } as const;
        const read = readEntityBody(ZOO, entityTypeNamed('Animal'), { headers, body }, options);
        expect(read.values).toStrictEqual(row);
      }),
    );
  });
});

describe('any JSON', () => {
  const names = fc.constantFrom(
    'Name',
    'Chip',
    'Home',
    'Homes',
    'Tags',
    'Notes',
    'Place',
    'Keeper',
    'Visits',
    '@type',
    'Keeper@bind',
    '__proto__',
    'Mood',
    'Skills',
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(names, tie('value'), { maxKeys: 4 }),
    ),
  }));

  it('is a body or a BadRequest', () => {
    const kinds = fc.constantFrom('insert', 'update', 'replace');
    const headers = { 'content-type': 'application/json', 'odata-version': '4.01' };
    fc.assert(
      fc.property(fc.dictionary(names, value), kinds, fc.boolean(), (json, kind, verbatim) => {
        const body = Buffer.from(JSON.stringify(json));
        try {
          const options = { kind, verbatim, sent: SENT_ANIMAL };
          readEntityBody(ZOO, entityTypeNamed('Animal'), { headers, body }, options);
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
          expect((error as GatewayError).status).toBe(400);
        }
      }),
    );
  });
});
