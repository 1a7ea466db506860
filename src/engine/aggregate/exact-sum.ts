import { addDecimals, type DecimalValue, parseDecimal } from '../values/decimal.ts';

const MOST_PLACES = 9;
const POWERS: readonly number[] = Array.from({ length: MOST_PLACES + 1 }, (_, places) => 10 ** places);
/** Below, a number with so many places is the shortest decimal form of one double only. */
const EXACT_BELOW = 1e15;

/**
 * Adds numbers and exact decimals up without rounding.
 *
 * As long as all of them have few places it counts in units of the smallest of them, in integers that
 * doubles hold; what is beyond that is added digit by digit.
 */
export class ExactSum {
  #units = 0;
  #places = 0;
  #rest: DecimalValue = 0;

  add(value: DecimalValue): void {
    const units = typeof value === 'number' ? this.#unitsOf(value) : undefined;
    const sum = units === undefined ? Number.NaN : this.#units + units;
    if (Math.abs(sum) < EXACT_BELOW) this.#units = sum;
    else this.#rest = addDecimals(this.#rest, value);
  }

  total(): DecimalValue {
    const counted = parseDecimal(`${this.#units}e-${this.#places}`) ?? 0;
    return this.#rest === 0 ? counted : addDecimals(counted, this.#rest);
  }

  /** The value in units of the sum, which are made smaller where it needs more places. */
  #unitsOf(value: number): number | undefined {
    for (let places = this.#places; places <= MOST_PLACES; places++) {
      const power = POWERS[places] ?? Number.NaN;
      const units = Math.round(value * power);
      if (Math.abs(units) >= EXACT_BELOW) return undefined;
      if (units / power === value) return this.#refine(places) ? units : undefined;
    }
    return undefined;
  }

  #refine(places: number): boolean {
    const units = this.#units * 10 ** (places - this.#places);
    if (Math.abs(units) >= EXACT_BELOW) return false;
    this.#units = units;
    this.#places = places;
    return true;
  }
}
