import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/contract/gateway-error.ts';
import { parseRequestTarget } from '../../../src/odata/url/request-target.ts';
import { TRANSFORMATIONS } from './apply.cases.ts';
import { ERRORS } from './errors.cases.ts';
import { EXPRESSIONS } from './expression.cases.ts';
import { LITERALS } from './literals.cases.ts';
import { OPTIONS } from './query-options.cases.ts';
import { PATHS } from './resource-path.cases.ts';
import { SEARCHES } from './search.cases.ts';
import { SELECTIONS } from './select-expand.cases.ts';

/** Valid and invalid targets to make others of. */
const TARGETS: readonly string[] = [
  ...[...LITERALS, ...EXPRESSIONS].map(([source]) => `/X?$filter=${source}`),
  ...[...OPTIONS, ...SEARCHES, ...SELECTIONS, ...TRANSFORMATIONS].map(([query]) => `/X?${query}`),
  ...PATHS.map(([target]) => target),
  ...ERRORS.map(([target]) => target),
];

const TOKENS = [
  "'",
  '"',
  '(',
  ')',
  '[',
  '{',
  '/',
  '%2F',
  '%27',
  ',',
  ';',
  '=',
  '&',
  '@',
  '$',
  ' and ',
  ' not ',
  ':',
  '-',
  '1',
  'é',
  '\ud800',
  '\\',
];

/** A target of which a part was left out, doubled, or replaced by a token. */
const mutation = fc
  .tuple(
    fc.constantFrom(...TARGETS),
    fc.nat(),
    fc.nat(12),
    fc.array(fc.constantFrom(...TOKENS), { maxLength: 4 }),
  )
  .map(([target, seed, length, tokens]) => {
    const start = seed % (target.length + 1);
    return target.slice(0, start) + tokens.join('') + target.slice(start + (seed % (length + 1)));
  });

function expectOnlyGatewayErrors(target: string): void {
  try {
    parseRequestTarget(target);
  } catch (error) {
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toHaveProperty('code', target.length > 8192 ? 'UriTooLong' : 'BadRequest');
  }
}

describe('parseRequestTarget', () => {
  it('throws nothing but GatewayError, whatever it is given', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 9000 }), expectOnlyGatewayErrors));
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...TOKENS)), (tokens) =>
        expectOnlyGatewayErrors(`/X?$filter=${tokens.join('')}`),
      ),
    );
  });

  it('throws nothing but GatewayError for targets that are nearly valid', () => {
    fc.assert(fc.property(mutation, expectOnlyGatewayErrors), { numRuns: 5000 });
  });
});
