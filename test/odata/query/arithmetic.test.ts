import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errorOf, resultOf } from './sample.ts';

const LEAST = -(2n ** 63n);
const GREATEST = 2n ** 63n - 1n;

const integer = fc.oneof(fc.bigInt({ min: LEAST, max: GREATEST }), fc.bigInt({ min: -20n, max: 20n }));

const INTEGER_OPERATORS: Readonly<Record<string, (left: bigint, right: bigint) => bigint>> = {
  add: (left, right) => left + right,
  sub: (left, right) => left - right,
  mul: (left, right) => left * right,
  div: (left, right) => left / right,
  mod: (left, right) => left % right,
};

/** As rows hold an Int64: a number where that is exact. */
function written(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

describe('Part 2, 5.1.1.2: integers', () => {
  it('are exact, and never silently beyond 64 bits', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.entries(INTEGER_OPERATORS)),
        integer,
        integer,
        ([name, exact], left, right) => {
          const found = errorOf(() => resultOf(`${left} ${name} ${right}`));
          const divides = name === 'div' || name === 'mod';
          const value = divides && right === 0n ? undefined : exact(left, right);
          const fits = value !== undefined && value >= LEAST && value <= GREATEST;
          expect(found).toMatchObject(fits ? { returned: written(value) } : { code: 'BadRequest' });
        },
      ),
    );
  });
});

interface Decimal {
  readonly coefficient: bigint;
  readonly scale: number;
}

const decimal: fc.Arbitrary<Decimal> = fc.record({
  coefficient: fc.oneof(
    fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }),
    fc.bigInt({ min: -99n, max: 99n }),
  ),
  scale: fc.integer({ min: 1, max: 12 }),
});

function literal({ coefficient, scale }: Decimal): string {
  const digits = String(coefficient < 0n ? -coefficient : coefficient).padStart(scale + 1, '0');
  return `${coefficient < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

const at = ({ coefficient, scale }: Decimal, wanted: number): bigint =>
  coefficient * 10n ** BigInt(wanted - scale);

describe('Part 2, 5.1.1.2: decimals', () => {
  it('are exact', () => {
    fc.assert(
      fc.property(decimal, decimal, (left, right) => {
        const scale = Math.max(left.scale, right.scale);
        const sum = literal({ coefficient: at(left, scale) + at(right, scale), scale });
        const product = literal({
          coefficient: left.coefficient * right.coefficient,
          scale: left.scale + right.scale,
        });
        const [one, two] = [literal(left), literal(right)];
        expect(resultOf(`${one} add ${two} eq ${sum}`)).toBe(true);
        expect(resultOf(`${sum} sub ${two} eq ${one}`)).toBe(true);
        expect(resultOf(`${one} mul ${two} eq ${product}`)).toBe(true);
        expect(resultOf(`${one} lt ${two}`)).toBe(at(left, scale) < at(right, scale));
      }),
    );
  });

  it('divide to 28 digits', () => {
    fc.assert(
      fc.property(decimal, decimal, (left, right) => {
        fc.pre(right.coefficient !== 0n);
        const [one, two] = [literal(left), literal(right)];
        const rest = Number(resultOf(`${one} sub (${one} div ${two}) mul ${two}`));
        expect(Math.abs(rest)).toBeLessThanOrEqual(Math.abs(Number(one)) * 1e-27);
      }),
    );
  });
});

const instant = fc.date({
  min: new Date('0002-01-01T00:00:00Z'),
  max: new Date('9998-12-31T00:00:00Z'),
  noInvalidDate: true,
});
const offset = fc.integer({ min: -14 * 60, max: 14 * 60 });

/** The instant as it is written so many minutes east of UTC. */
function dateTime(date: Date, minutes: number): string {
  const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1);
  const size = Math.abs(minutes);
  const clock = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, '0')).join(':');
  return `${local}${minutes < 0 ? '-' : '+'}${clock}`;
}

describe('dates and times', () => {
  it('are compared and subtracted as instants, whatever their offsets', () => {
    fc.assert(
      fc.property(instant, offset, instant, offset, (first, east, second, west) => {
        const [one, two] = [dateTime(first, east), dateTime(second, west)];
        expect(resultOf(`${one} lt ${two}`)).toBe(first < second);
        expect(resultOf(`${one} eq ${dateTime(first, west)}`)).toBe(true);
        expect(resultOf(`totalseconds(${one} sub ${two})`)).toBe((first.getTime() - second.getTime()) / 1000);
        expect(resultOf(`${two} add (${one} sub ${two}) eq ${one}`)).toBe(true);
      }),
    );
  });
});

describe('decimals of more than 400 digits', () => {
  const long = '9'.repeat(400);
  const REFUSED = { code: 'BadRequest', message: 'Decimals of more than 400 digits are not computed with.' };

  it.each([
    ['a product', `${long}.0 mul 10.0`],
    ['a sum', `${long}.0 add 1.0`],
    ['a product with many digits behind the point', `0.${'0'.repeat(300)}1 mul 0.${'0'.repeat(300)}1`],
    ['a difference', `-${long}.0 sub ${long}.0`],
    ['a product that is compared', `${long}.0 mul ${long}.0 gt 1.0`],
  ])('are never zero in silence: %s', (_, expression) => {
    expect(errorOf(() => resultOf(expression))).toMatchObject(REFUSED);
  });

  it('are exact up to there', () => {
    expect(resultOf(`${'9'.repeat(399)}.0 add 1.0`)).toBe(`1${'0'.repeat(399)}`);
  });

  it.each([`1${'0'.repeat(400)}.0`, `0.${'0'.repeat(400)}1`])('are no literals: %s', (literal) => {
    expect(errorOf(() => resultOf(`${literal} add 1.0`))).toMatchObject({ code: 'BadRequest' });
  });
});

describe('Part 2, 5.1.1.2: what divby makes of decimals and zero', () => {
  it.each([
    ['1.5 divby 0', Number.POSITIVE_INFINITY],
    ['-1.5 divby 0', Number.NEGATIVE_INFINITY],
    ['0.0 divby 0', Number.NaN],
    ['(1.5 divby 0) add 1.5', Number.POSITIVE_INFINITY],
    ['1.5 sub (1.5 divby 0)', Number.NEGATIVE_INFINITY],
    ['(1.5 divby 0) mul -2.5', Number.NEGATIVE_INFINITY],
    ['(1.5 divby 0) divby 2.5', Number.POSITIVE_INFINITY],
    ['2.5 mod (1.5 divby 0)', 2.5],
    ['(1.5 divby 0) gt 12345678901234567890.5', true],
    ['(0.0 divby 0) lt 12345678901234567890.5', false],
  ])('%s is %s', (expression, expected) => {
    expect(Number(resultOf(expression))).toBe(Number(expected));
  });
});
