import { queryOptions } from '@tanstack/react-query';
import { gatewayUrl } from './base.ts';
import { requestJson } from './request.ts';

/** What is served for the user. Addresses are relative to the landing page. */
export interface Landing {
  readonly title: string;
  readonly description: string;
  readonly access: 'anonymous' | 'unrestricted' | 'user';
  readonly links: readonly LandingLink[];
  readonly entitySets: readonly ServedEntitySet[];
  readonly queries: readonly LandingLink[];
}

export interface LandingLink {
  readonly title: string;
  readonly href: string;
  readonly description?: string;
}

export interface ServedEntitySet {
  readonly name: string;
  readonly href: string;
  readonly description?: string;
  readonly permissions: readonly string[];
}

export const landingQuery = queryOptions<Landing>({
  queryKey: ['landing'],
  queryFn: async () => (await requestJson(gatewayUrl(''))).body as Landing,
});
