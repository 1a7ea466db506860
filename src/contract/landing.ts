import type { Principal } from './principal.ts';

/** The content of the page at `/`. */
export interface Landing {
  readonly title: string;
  readonly description: string;
  /** The kind of the principal; `unrestricted` without access control. */
  readonly access: Principal['kind'];
  /** The users who may create an account, unless everyone may. */
  readonly signUp?: 'invite' | 'approve' | 'off';
  /** Present if users cannot sign in with passwords. */
  readonly passwords?: 'off';
  /** Present if the gateway confirms addresses and resets passwords by mail. */
  readonly mail?: true;
  /** The issuers that users can sign in with. */
  readonly issuers?: readonly LandingIssuer[];
  readonly links: readonly Link[];
  /** The entity sets that the user has a permission for. */
  readonly entitySets: readonly ServedEntitySet[];
  /** The APIs that provide the data. */
  readonly apis: readonly ListedApi[];
  /** Example queries. */
  readonly queries: readonly Link[];
}

export interface LandingIssuer {
  /** The name shown to users. */
  readonly name: string;
  /** The segment that identifies the issuer in paths. */
  readonly path: string;
}

export interface Link {
  readonly title: string;
  /** Relative to the page, because the public URL may have a path. */
  readonly href: string;
  readonly description?: string;
}

export interface ServedEntitySet {
  readonly name: string;
  readonly href: string;
  readonly description?: string;
  readonly permissions: readonly string[];
  /** Present if the entity set can be listed. */
  readonly connection?: Connection;
}

/** The data that a program needs to read an entity set by either protocol. */
export interface Connection {
  /** The entity sets that an API key must allow to view: the set itself, and those that contain its lists. */
  readonly entitySets: readonly string[];
  /** The properties that each request must fix by a filter. */
  readonly filteredBy?: readonly string[];
  /** A GraphQL query for the first entities. */
  readonly query?: string;
}

export interface ListedApi {
  readonly name: string;
  readonly title?: string;
  readonly version?: string;
  /** The screen for managing the API, for users who may. */
  readonly href?: string;
}
