import type { Value } from '../../contract/row.ts';
import { type DecimalValue, roundDecimal } from '../values/decimal.ts';
import { type Signature, signature } from './signature.ts';

/** Arithmetic functions (5.1.1.9): of the type of their argument. */
export const ARITHMETIC_FUNCTIONS: readonly (readonly [string, readonly Signature[]])[] = [
  ['round', [rounding('round')]],
  ['floor', [rounding('floor')]],
  ['ceiling', [rounding('ceiling')]],
];

function rounding(mode: 'round' | 'floor' | 'ceiling'): Signature {
  return signature(
    ['numeric'],
    'argument',
    (value: DecimalValue): Value =>
      typeof value === 'number' ? roundNumber(value, mode) : roundDecimal(value, mode),
  );
}

function roundNumber(value: number, mode: 'round' | 'floor' | 'ceiling'): number {
  switch (mode) {
    case 'round':
      // Math.round takes -0.5 to 0; the standard, half away from zero, to -1.
      return Math.sign(value) * Math.round(Math.abs(value)) + 0;
    case 'floor':
      return Math.floor(value);
    case 'ceiling':
      return Math.ceil(value) + 0;
  }
}
