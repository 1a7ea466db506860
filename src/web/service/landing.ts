import { queryOptions } from '@tanstack/react-query';
import { gatewayUrl, requestJson } from './request.ts';

/** What is served for the user. Addresses are relative to the landing page. */
export interface Landing {
  readonly title: string;
  readonly description: string;
  readonly access: 'anonymous' | 'unrestricted' | 'user';
  /** Who may sign up, where that is not everybody at once. */
  readonly signUp?: 'invite' | 'approve' | 'off';
  /** Where nobody signs in by a password. */
  readonly passwords?: 'off';
  /** Addresses are confirmed by mail, and forgotten passwords chosen anew. */
  readonly mail?: true;
  /** Whom people may sign in by. */
  readonly issuers?: readonly Issuer[];
  readonly links: readonly LandingLink[];
  readonly entitySets: readonly ServedEntitySet[];
  readonly queries: readonly LandingLink[];
  /** The APIs whose data they are. */
  readonly apis: readonly ServedApi[];
}

/** Somebody else who knows people. */
export interface Issuer {
  readonly name: string;
  /** What stands for it in paths. */
  readonly path: string;
}

export interface ServedApi {
  readonly name: string;
  readonly title?: string;
  readonly version?: string;
  /** Its page, for those who may see it. */
  readonly href?: string;
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
  /** Where it can be listed. */
  readonly connection?: Connection;
}

/** What it takes to have a program read an entity set. */
export interface Connection {
  /** What a key must let it view. */
  readonly entitySets: readonly string[];
  /** The properties whose values each request must fix by a filter. */
  readonly filteredBy?: readonly string[];
  /** Its first entities, in GraphQL. */
  readonly query?: string;
}

export const landingQuery = queryOptions<Landing>({
  queryKey: ['landing'],
  queryFn: async () => (await requestJson(gatewayUrl(''))).body as Landing,
});
