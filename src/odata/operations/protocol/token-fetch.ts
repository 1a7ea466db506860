import type { BudgetedRequest, WholeResponse } from '../../../contract/exchange.ts';
import type { ODataVersion } from '../../payload/negotiation/version.ts';

/**
 * Whether a HEAD asks for a security token and for nothing of the resource. There are no such tokens: requests
 * with a cookie are known by their origin.
 */
export function isTokenFetch({ bodiless, headers }: Pick<BudgetedRequest, 'bodiless' | 'headers'>): boolean {
  return bodiless === true && headers['x-csrf-token']?.toLowerCase() === 'fetch';
}

/** Clients take no token for one that is not needed. The upstream is not asked. */
export function tokenAnswer(version: ODataVersion): WholeResponse {
  return {
    status: 200,
    headers: { 'odata-version': version, 'cache-control': 'no-store' },
    body: undefined,
  };
}
