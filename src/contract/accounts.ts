import type { Permission } from '../model/permission.ts';

/** The state of an account; `waiting` means that its user signed up and no administrator has approved it. */
export type UserState = 'active' | 'waiting' | 'disabled';

/** An account, as administrators see it. Times are ISO 8601 texts in responses and Dates in the server. */
export interface User<Moment = string> {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
  readonly state: UserState;
  readonly createdAt: Moment;
  /** Null if the user never signed in since this is recorded. */
  readonly lastSignInAt: Moment | null;
}

/** An account with the data that only its own page shows. */
export interface UserDetails<Moment = string> extends User<Moment> {
  /** The number of active sessions. */
  readonly sessions: number;
  /** The names of the user's API keys. */
  readonly keys: readonly string[];
}

/** A page of accounts, ordered by e-mail address. */
export interface UserPage<Moment = string> {
  readonly users: readonly User<Moment>[];
  /** The number of matching accounts on all pages. */
  readonly total: number;
  /** The value of `after` for the next page; null on the last page. */
  readonly next: string | null;
}

/** A page of accounts with the data of the screen around it. */
export interface UserListing<Moment = string> extends UserPage<Moment> {
  /** The number of waiting accounts, regardless of the search. */
  readonly waiting: number;
  /** The roles that some permission is granted to. */
  readonly roles: readonly string[];
}

/** A valid invitation, as administrators see it: without its text. */
export interface Invitation<Moment = string> {
  readonly id: string;
  readonly email: string;
  /** The roles of the new account. */
  readonly roles: readonly string[];
  /** The e-mail address of the administrator; null for the command line. */
  readonly invitedBy: string | null;
  readonly createdAt: Moment;
  readonly expiresAt: Moment;
}

/** A scope in JSON: permissions by resource, or by `*` for all resources. */
export type WrittenScope = Readonly<Record<string, readonly Permission[]>>;

/** The public data of an API key: its first characters, by which its user recognizes it, and not the rest. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly start: string;
  readonly createdAt: string;
  /** Null if the key does not expire. */
  readonly expiresAt: string | null;
  /** Permissions by resource; null if the key has all permissions of its user. */
  readonly scope: WrittenScope | null;
  /** Accurate to some minutes; null if the key has not been used. */
  readonly lastUsedAt: string | null;
}
