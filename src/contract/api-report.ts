import type { Permission } from '../model/permission.ts';

export type { Permission };

/** What a text that is offered as an OpenAPI document is. OpenAPI 3.2 counts as 3.1; Swagger 2.0 is converted. */
export type DocumentKind =
  | 'openapi-3.1'
  | 'openapi-3.0'
  | 'swagger-2'
  | 'not-openapi'
  | 'unreadable'
  /** The document may be one: its overlay is none, or does not fit it. */
  | 'bad-overlay';

/** What is being done with a document: it waits for others, is read, is checked, becomes a model, is served. */
export type ProgressStep = 'waiting' | 'reading' | 'checking' | 'deriving' | 'serving';

/** An error keeps something from being served; the others are for whoever cares for the document. */
export type Severity = 'error' | 'warning' | 'info';

/** One thing that is wrong with a document, or that its author may want to mend. */
export interface DocumentFinding {
  readonly severity: Severity;
  /** Names what was looked at, such as `struct`. */
  readonly rule: string;
  readonly message: string;
  /** From 1; 0 where it is no place of the text. */
  readonly line: number;
  readonly column: number;
  /** A JSON pointer (RFC 6901) into the file. */
  readonly pointer: string;
  /** The file that has the place, where that is not the document. */
  readonly file?: 'overlay';
  /** At how many other places the same is found. */
  readonly others?: number;
}

/** Rules whose findings say that a document does not stand by itself: it cannot be taken. */
export const EXTERNAL_REFERENCE = 'external-reference';
export const REFERENCE_CYCLE = 'reference-cycle';

/** What a document is, in a sentence for people, and what is wrong with it. */
export interface DocumentReport {
  readonly kind: DocumentKind;
  readonly summary: string;
  readonly findings: readonly DocumentFinding[];
}

/** What a document becomes in the service. */
export interface ModelSummary {
  readonly entitySets: readonly EntitySetSummary[];
  readonly singletons: readonly string[];
  readonly functions: readonly string[];
  readonly actions: readonly string[];
  /** What is not served, or not as the document has it, and why; what costs most first. */
  readonly leftOut: readonly LeftOut[];
  readonly lists: ListsSummary;
}

export interface EntitySetSummary {
  readonly name: string;
  readonly type: string;
  readonly key: readonly string[];
  /** What can be done, such as `list` and `insert`. */
  readonly operations: readonly string[];
}

/** Something of a document that is not served, or not as the document has it. */
export interface LeftOut {
  readonly severity: Severity;
  /** Into the document, or into its overlay where the file says so. */
  readonly pointer: string;
  readonly file?: 'overlay';
  readonly message: string;
  /** At how many other places the same is found. */
  readonly others?: number;
}

/** How many of a document's lists are tables, and why the others are not. */
export interface ListsSummary {
  readonly lists: number;
  readonly tables: number;
  /** The commonest reason first. */
  readonly reasons: readonly ListsReason[];
}

/** Why lists are no tables. */
export interface ListsReason {
  /** Names the reason, such as `list-without-key`. */
  readonly rule: string;
  readonly message: string;
  /** What would help; empty where nothing would. */
  readonly hint: string;
  /** How many lists have it. */
  readonly lists: number;
  /** One of them. */
  readonly path: string;
  readonly pointer: string;
  readonly file?: 'overlay';
}

/** What the operations of a document ask for, and whether the project gives it; never a credential itself. */
export interface CredentialsSummary {
  /** How many operations ask for a credential. */
  readonly asking: number;
  /** How many of these go out without what they ask for. */
  readonly unmet: number;
  readonly schemes: readonly SchemeSummary[];
}

/** A security scheme of a document, and whether the project gives what it asks for. */
export interface SchemeSummary {
  readonly name: string;
  /** What the scheme asks for, such as `HTTP Bearer token`. */
  readonly asksFor: string;
  /** How many operations accept it, alone or with others. */
  readonly operations: number;
  readonly isGiven: boolean;
  /** What of the project file gives it, or would; null where no setting of a source can. */
  readonly setting: { readonly section: string; readonly name: string; readonly value: string } | null;
}

/** An operation of a document. */
export interface DocumentOperation {
  readonly id: string;
  /** The method in upper case, such as `GET`. */
  readonly method: string;
  readonly path: string;
  readonly summary: string;
}

/** An operation, and what it becomes. */
export interface ApiOperation extends DocumentOperation {
  /** The resource of the service that it serves; null where it serves none. */
  readonly resource: string | null;
}

/** What differs between two states of a document. */
export interface OperationChanges {
  /** Whether anything does, be it a comment. */
  readonly changed: boolean;
  readonly added: readonly DocumentOperation[];
  readonly removed: readonly DocumentOperation[];
  readonly altered: readonly AlteredOperation[];
}

export interface AlteredOperation extends DocumentOperation {
  /** Members of the operation, and components that they refer to, such as `parameters` and `schema Post`. */
  readonly what: readonly string[];
}

/** A server that a document names, and where it does. */
export interface DocumentServer {
  /** With its variables filled in. */
  readonly url: string;
  readonly line: number;
  readonly column: number;
}

/** All that is known of a text from looking at nothing else. */
export interface Examination {
  readonly report: DocumentReport;
  /** The document, where it is one. */
  readonly document: Readonly<Record<string, unknown>> | undefined;
  readonly servers: readonly DocumentServer[];
  readonly operations: readonly ApiOperation[];
  readonly model: ModelSummary;
  readonly access: AccessReport;
  readonly shape: ServiceShape;
}

const EMPTY_MODEL: ModelSummary = {
  entitySets: [],
  singletons: [],
  functions: [],
  actions: [],
  leftOut: [],
  lists: { lists: 0, tables: 0, reasons: [] },
};

/** The examination of a text that is no document, or none that can be served. */
export function unservable(report: DocumentReport): Examination {
  return {
    report,
    document: undefined,
    servers: [],
    operations: [],
    model: EMPTY_MODEL,
    access: { roles: [], resources: [], proposal: [] },
    shape: { resources: [], types: [] },
  };
}

/** Who may do what with an API. */
export interface AccessReport {
  /** The roles that the grants name, sorted. */
  readonly roles: readonly string[];
  readonly resources: readonly GrantableResource[];
  /** What might be granted where nothing is; empty where something is. */
  readonly proposal: readonly WrittenGrants[];
}

/** What roles may do with a resource of the service: all that they may. */
export interface WrittenGrants {
  readonly name: string;
  /** Role to what it may do. */
  readonly grants: Readonly<Record<string, readonly Permission[]>>;
}

export interface GrantableResource extends WrittenGrants {
  readonly kind: 'entitySet' | 'singleton' | 'contained' | 'function' | 'action';
  /** What there are operations for. */
  readonly rights: readonly Permission[];
  /** Whether an overlay has a place for its grants; otherwise others decide about it. */
  readonly isGrantable: boolean;
}

/** What clients of an API's part of the service can rely on. */
export interface ServiceShape {
  readonly resources: readonly ShapedResource[];
  readonly types: readonly ShapedType[];
}

export interface ShapedResource extends Pick<GrantableResource, 'name' | 'rights' | 'grants'> {
  /** The name of its entity type; undefined for a function or an action. */
  readonly type: string | undefined;
}

/** An entity type or a complex type. */
export interface ShapedType {
  readonly name: string;
  readonly key: readonly string[];
  /** Each property's name, to its type in words such as `Collection(String)`. */
  readonly properties: Readonly<Record<string, string>>;
}

/** An API as a list shows it. */
export interface ApiSummary {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  /** The version of OpenAPI, such as `3.1.0`. */
  readonly openapi: string;
  readonly description: string;
  /** Where its operations are sent; empty where that is not known. */
  readonly serviceUrl: string;
  /** From the folder of the project. */
  readonly file: string;
  readonly state: ApiState;
  readonly operations: number;
  readonly entitySets: readonly string[];
  readonly errors: number;
  readonly warnings: number;
}

/** Whether an API is served. */
export type ApiState =
  /** Beside the project, but no part of it. */
  | 'registered'
  /** In the project, and served. */
  | 'live'
  /** Live, and nobody may use it yet: no role is granted anything. */
  | 'ungranted'
  /** In the project, and turned off: nothing is sent to it. */
  | 'disabled'
  /** In the project, but it cannot be served. */
  | 'failed';

/** The APIs that there are, and whether they can be changed. */
export interface ApiListing {
  readonly writable: boolean;
  /** Why nothing can be changed; null where something can. */
  readonly reason: string | null;
  readonly apis: readonly ApiSummary[];
  /** The query that the further APIs are listed by; null at the end. */
  readonly next: string | null;
}

/** All that is known of an API. */
export interface ApiDetail extends ApiSummary {
  readonly report: DocumentReport;
  readonly model: ModelSummary;
  readonly fetchUrl: string | null;
  /** Null where it is not served: the project file says what is given. */
  readonly credentials: CredentialsSummary | null;
  /** Why the project's files as they are now are not what is served, and an earlier state is; null where they are. */
  readonly refusal: string | null;
  /** Null for an API that is not turned off. */
  readonly disabled: {
    /** ISO 8601; null if it is not known. */
    readonly at: string | null;
    readonly by: string | null;
    readonly reason: string;
  } | null;
}

/** What is different for the clients of an API, in a sentence that names the place. */
export interface ServiceChange {
  /** `breaking` takes something from clients, `granting` gives a role a right. */
  readonly kind: 'breaking' | 'granting' | 'compatible';
  readonly message: string;
}

/** What of an API a change can replace. */
export type StatePart = 'document' | 'overlay' | 'description' | 'serviceUrl' | 'fetchUrl';

/** A change of an API, as the history lists it by the number of the state that it put an end to. */
export interface RecordedChange {
  /** When it was made (ISO 8601). */
  readonly at: string;
  /** The e-mail address of the user who made it; null where everybody may do everything, and on the command line. */
  readonly by: string | null;
  /** What of the API was replaced. */
  readonly replaced: readonly StatePart[];
  /** What it was for clients. */
  readonly changes: readonly ServiceChange[];
}

/** A change that put an end to the state of that number. */
export interface ListedChange extends RecordedChange {
  readonly state: number;
}

/** What an operation of an API answered when it was tried, and how it was called. */
export interface TryItResult {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** `base64` where the body is no text. */
  readonly encoding: 'text' | 'base64';
  readonly truncated: boolean;
  readonly milliseconds: number;
  /** The call as a line for a shell, with the names of variables in the place of credentials. */
  readonly curl: string;
}
