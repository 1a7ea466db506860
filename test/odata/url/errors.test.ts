import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/contract/gateway-error.ts';
import { parseRequestTarget } from '../../../src/odata/url/request-target.ts';
import { ERRORS } from './errors.cases.ts';
import { LIMITS } from './limits.cases.ts';

function errorOf(target: string): unknown {
  try {
    return parseRequestTarget(target);
  } catch (error) {
    return error;
  }
}

describe('a request target that is malformed', () => {
  it.each(ERRORS)('is refused: %s', (target, message, errorTarget) => {
    expect(errorOf(target)).toMatchObject({ code: 'BadRequest', message, target: errorTarget });
  });

  it.each(['\ud800', '%ED%A0%80', "('\udfff')", '?$filter=a eq \ud800', '?\ud800=1'])(
    'is refused for a lone surrogate: %j',
    (rest) => {
      expect(errorOf(`/X${rest}`)).toMatchObject({ code: 'BadRequest' });
    },
  );

  it('shows at most 100 characters of what was sent', () => {
    const error = errorOf(`/X?$filter=a eq ${'?'.repeat(5000)}`);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toHaveProperty(
      'message',
      `$filter: expected an expression at position 5, found ${'?'.repeat(40)}…`,
    );
  });
});

describe('a request target that asks for too much', () => {
  it.each(LIMITS)('is refused: %s', (_, target, expected) => {
    expect(errorOf(target)).toMatchObject({
      ...expected,
      message: expect.stringContaining(expected.message),
    });
  });

  it('is parsed up to its limits', () => {
    const nested = `${'('.repeat(30)}a${')'.repeat(30)}`;
    const long = Array.from({ length: 25 }, (_, index) => `a eq ${index}`).join(' or ');
    const keys = Array.from({ length: 900 }, (_, index) => `'${index}'`).join();
    for (const filter of [nested, long, `Id in (${keys})`]) {
      expect(errorOf(`/X?$filter=${filter}`)).toHaveProperty('options.filter');
    }
  });
});
