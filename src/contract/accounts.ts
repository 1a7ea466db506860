import type { Permission } from '../model/permission.ts';

/** Whether somebody is let in; who waits has signed up, and nobody has looked at him yet. */
export type UserState = 'active' | 'waiting' | 'disabled';

/** An account, as administrators see it. A moment is ISO 8601 where it is told, and a Date in the server. */
export interface User<Moment = string> {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
  readonly state: UserState;
  readonly createdAt: Moment;
  /** Null where it was never, or before this was written down. */
  readonly lastSignInAt: Moment | null;
}

/** What is told of one alone. */
export interface UserDetails<Moment = string> extends User<Moment> {
  /** How many have not ended. */
  readonly sessions: number;
  /** The names of his API keys. */
  readonly keys: readonly string[];
}

/** Some accounts, by e-mail address. */
export interface UserPage<Moment = string> {
  readonly users: readonly User<Moment>[];
  /** How many fit the query, on all pages. */
  readonly total: number;
  /** What the next page comes `after`; null where this is the last. */
  readonly next: string | null;
}

/** What is told with a page of accounts. */
export interface UserListing<Moment = string> extends UserPage<Moment> {
  /** How many wait, whatever is searched for. */
  readonly waiting: number;
  /** The roles that anything is granted to. */
  readonly roles: readonly string[];
}

/** An invitation that may still be used, as administrators see it: never its text. */
export interface Invitation<Moment = string> {
  readonly id: string;
  readonly email: string;
  /** What the account will have. */
  readonly roles: readonly string[];
  /** The e-mail address of an administrator; null where it came from the command line. */
  readonly invitedBy: string | null;
  readonly createdAt: Moment;
  readonly expiresAt: Moment;
}

/** A scope as JSON has it: resource, or `*` for all that there is, to what may be done with it. */
export type WrittenScope = Readonly<Record<string, readonly Permission[]>>;

/** What may be told of a key: its first characters, by which its user knows it, and not the rest. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly start: string;
  readonly createdAt: string;
  /** Null where the key is good until it is revoked. */
  readonly expiresAt: string | null;
  /** Resource to what the key may do with it; null where that is all that its user may do. */
  readonly scope: WrittenScope | null;
  /** To some minutes; null where it has not been used. */
  readonly lastUsedAt: string | null;
}
