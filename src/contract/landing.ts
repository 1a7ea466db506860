import type { Principal } from './principal.ts';

/** What `/` tells about the service. */
export interface Landing {
  readonly title: string;
  readonly description: string;
  /** Who asks: somebody, nobody, or anybody, where there is no access control. */
  readonly access: Principal['kind'];
  /** Who may make an account for himself, where that is not everybody at once. */
  readonly signUp?: 'invite' | 'approve' | 'off';
  /** Where nobody signs in by a password. */
  readonly passwords?: 'off';
  /** Addresses are confirmed by mail, and forgotten passwords chosen anew. */
  readonly mail?: true;
  /** Whom people may sign in by. */
  readonly issuers?: readonly LandingIssuer[];
  readonly links: readonly Link[];
  /** The entity sets that the user may do something with. */
  readonly entitySets: readonly ServedEntitySet[];
  /** The APIs whose data they are. */
  readonly apis: readonly ListedApi[];
  /** Samples of what can be asked. */
  readonly queries: readonly Link[];
}

export interface LandingIssuer {
  /** What people know it by. */
  readonly name: string;
  /** What stands for it in paths. */
  readonly path: string;
}

export interface Link {
  readonly title: string;
  /** Relative to the page: the public URL may have a path. */
  readonly href: string;
  readonly description?: string;
}

export interface ServedEntitySet {
  readonly name: string;
  readonly href: string;
  readonly description?: string;
  /** What the user may do with it. */
  readonly permissions: readonly string[];
  /** Where it can be listed. */
  readonly connection?: Connection;
}

/** What it takes to have a program read an entity set, by either protocol. */
export interface Connection {
  /** What a key must let it view: the set itself, and those whose entities have its lists. */
  readonly entitySets: readonly string[];
  /** The properties whose values each request must fix by a filter. */
  readonly filteredBy?: readonly string[];
  /** Its first entities, in GraphQL. */
  readonly query?: string;
}

export interface ListedApi {
  readonly name: string;
  readonly title?: string;
  readonly version?: string;
  /** Where it is seen to, for those who may. */
  readonly href?: string;
}
