import type { Permission } from '../model/permission.ts';

export type { Permission };

/**
 * The kind of a text that was given as an OpenAPI document. OpenAPI 3.2 counts as 3.1; Swagger 2.0 is
 * converted.
 */
export type DocumentKind =
  | 'openapi-3.1'
  | 'openapi-3.0'
  | 'swagger-2'
  | 'not-openapi'
  | 'unreadable'
  /** The document is valid, but its overlay is invalid or does not apply to it. */
  | 'bad-overlay';

/** The progress of a document: waiting in the queue, being read, checked, derived into a model, or served. */
export type ProgressStep = 'waiting' | 'reading' | 'checking' | 'deriving' | 'serving';

/** An error prevents serving; the others are advice for the document's author. */
export type Severity = 'error' | 'warning' | 'info';

/** An error, warning or remark about a document. */
export interface DocumentFinding {
  readonly severity: Severity;
  /** The id of the rule, such as `struct`. */
  readonly rule: string;
  readonly message: string;
  /** From 1; 0 if the finding has no position in the text. */
  readonly line: number;
  readonly column: number;
  /** A JSON pointer (RFC 6901) into the file. */
  readonly pointer: string;
  /** The file of the position, if it is not the document: `overlay`, or the name of a file that it refers to. */
  readonly file?: string;
  /** The number of other positions with the same finding. */
  readonly others?: number;
}

/** The rule for documents with external references, which are rejected. */
export const EXTERNAL_REFERENCE = 'external-reference';
export const REFERENCE_CYCLE = 'reference-cycle';

/** The kind of a document, a summary for people, and its findings. */
export interface DocumentReport {
  readonly kind: DocumentKind;
  readonly summary: string;
  readonly findings: readonly DocumentFinding[];
}

/** The service that a document results in. */
export interface ModelSummary {
  readonly entitySets: readonly EntitySetSummary[];
  readonly singletons: readonly string[];
  readonly functions: readonly string[];
  readonly actions: readonly string[];
  /** The parts that are not served as documented, and why; the most costly first. */
  readonly leftOut: readonly LeftOut[];
  readonly lists: ListsSummary;
}

export interface EntitySetSummary {
  readonly name: string;
  readonly type: string;
  readonly key: readonly string[];
  /** The supported operations, such as `list` and `insert`. */
  readonly operations: readonly string[];
}

/** A part of a document that is not served, or not as documented. */
export interface LeftOut {
  readonly severity: Severity;
  /** A JSON pointer into the document, or into the file that `file` names. */
  readonly pointer: string;
  readonly file?: string;
  readonly message: string;
  /** The number of other positions with the same cause. */
  readonly others?: number;
}

/** The number of a document's lists that are served as tables, and why others are not. */
export interface ListsSummary {
  readonly lists: number;
  readonly tables: number;
  /** The most frequent reason first. */
  readonly reasons: readonly ListsReason[];
  /** The reads whose answers have neither a schema nor an example, if any. */
  readonly silent?: SilentReads;
}

/** The number of read operations without a declared response schema. */
export interface SilentReads {
  readonly reads: number;
  /** The number of those that look like lists. */
  readonly lists: number;
}

/** A reason why lists are not served as tables. */
export interface ListsReason {
  /** The id of the reason, such as `list-without-key`. */
  readonly rule: string;
  readonly message: string;
  /** A suggestion for the author; empty if there is no remedy. */
  readonly hint: string;
  /** The number of lists with this reason. */
  readonly lists: number;
  /** An example. */
  readonly path: string;
  readonly pointer: string;
  readonly file?: string;
}

/**
 * The credentials that a document's operations require, and whether the project configures them; never the
 * credentials themselves.
 */
export interface CredentialsSummary {
  /** The number of operations that require a credential. */
  readonly asking: number;
  /** The number of operations that are called without the credential they require. */
  readonly unmet: number;
  readonly schemes: readonly SchemeSummary[];
}

/** A security scheme of a document, and whether the project configures its credential. */
export interface SchemeSummary {
  readonly name: string;
  /** The required credential, such as `HTTP Bearer token`. */
  readonly asksFor: string;
  /** The number of operations that accept the scheme, alone or with others. */
  readonly operations: number;
  readonly isGiven: boolean;
  /** The setting in the project file for this scheme; null if there is no such setting. */
  readonly setting: { readonly section: string; readonly name: string; readonly value: string } | null;
}

/** An operation of a document. */
export interface DocumentOperation {
  readonly id: string;
  /** In upper case, such as `GET`. */
  readonly method: string;
  readonly path: string;
  readonly summary: string;
}

/** An operation, and the resource that it serves. */
export interface ApiOperation extends DocumentOperation {
  /** Null if the operation is not served. */
  readonly resource: string | null;
}

/** The differences between two states of a document. */
export interface OperationChanges {
  /** True if the texts differ at all, even in a comment. */
  readonly changed: boolean;
  readonly added: readonly DocumentOperation[];
  readonly removed: readonly DocumentOperation[];
  readonly altered: readonly AlteredOperation[];
}

export interface AlteredOperation extends DocumentOperation {
  /** Changed members and referenced components, such as `parameters` and `schema Post`. */
  readonly what: readonly string[];
}

/** A server of a document, and its position. */
export interface DocumentServer {
  /** With its variables replaced by their values. */
  readonly url: string;
  readonly line: number;
  readonly column: number;
}

/** The result of the analysis of a document by itself. */
export interface Examination {
  readonly report: DocumentReport;
  /** Undefined if the text is not a document. */
  readonly document: Readonly<Record<string, unknown>> | undefined;
  readonly servers: readonly DocumentServer[];
  readonly operations: readonly ApiOperation[];
  readonly model: ModelSummary;
  readonly access: AccessReport;
  readonly shape: ServiceShape;
  /** None of them has been checked. */
  readonly relations: readonly RelationOutcome[];
}

const EMPTY_MODEL: ModelSummary = {
  entitySets: [],
  singletons: [],
  functions: [],
  actions: [],
  leftOut: [],
  lists: { lists: 0, tables: 0, reasons: [] },
};

/** The result for a text that cannot be served. */
export function unservable(report: DocumentReport): Examination {
  return {
    report,
    document: undefined,
    servers: [],
    operations: [],
    model: EMPTY_MODEL,
    access: { roles: [], resources: [], proposal: [], maxAges: [] },
    shape: { resources: [], types: [] },
    relations: [],
  };
}

/** The roles and grants of an API. */
export interface AccessReport {
  /** The roles that the grants name, sorted. */
  readonly roles: readonly string[];
  readonly resources: readonly GrantableResource[];
  /** A suggestion for the grants if the document has no grants; empty otherwise. */
  readonly proposal: readonly WrittenGrants[];
  /** The `maxAge` of the document and of the resources that have a position for it. */
  readonly maxAges: readonly WrittenMaxAge[];
}

/** Time for which answers about a resource may be used again. */
export interface WrittenMaxAge {
  /** A name in the model; `*` for the whole document. */
  readonly name: string;
  /** A time such as `5m`, or `api`; empty if nothing is declared. */
  readonly maxAge: string;
}

/** The permissions of all roles on a resource of the service. */
export interface WrittenGrants {
  readonly name: string;
  /** Permissions by role. */
  readonly grants: Readonly<Record<string, readonly Permission[]>>;
}

export interface GrantableResource extends WrittenGrants {
  readonly kind: 'entitySet' | 'singleton' | 'contained' | 'function' | 'action';
  /** The permissions that the resource has operations for. */
  readonly rights: readonly Permission[];
  /** Whether the grants can be written in an overlay; otherwise other resources determine them. */
  readonly isGrantable: boolean;
}

/** The part of a service that clients of an API depend on. */
export interface ServiceShape {
  readonly resources: readonly ShapedResource[];
  readonly types: readonly ShapedType[];
}

export interface ShapedResource extends Pick<GrantableResource, 'name' | 'rights' | 'grants'> {
  /** The name of its entity type; undefined for a function or an action. */
  readonly type: string | undefined;
}

export interface ShapedType {
  readonly name: string;
  readonly key: readonly string[];
  /** The type of each property, such as `Collection(String)`, by name. */
  readonly properties: Readonly<Record<string, string>>;
}

/** An API in the list of all APIs. */
export interface ApiSummary {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  /** The version of OpenAPI, such as `3.1.0`. */
  readonly openapi: string;
  readonly description: string;
  /** The base URL of its operations; empty if unknown. */
  readonly serviceUrl: string;
  /** Relative to the project folder. */
  readonly file: string;
  readonly state: ApiState;
  readonly operations: number;
  readonly entitySets: readonly string[];
  readonly errors: number;
  readonly warnings: number;
}

export type ApiState =
  /** Stored, but not part of the project. */
  | 'registered'
  | 'live'
  /** Served, but no role is granted a permission yet. */
  | 'ungranted'
  /** Part of the project, but disabled: no calls are made to it. */
  | 'disabled'
  | 'failed';

/** A page of the APIs, and whether they can be changed. */
export interface ApiListing {
  readonly writable: boolean;
  /** The reason why no API can be changed; null if they can. */
  readonly reason: string | null;
  readonly apis: readonly ApiSummary[];
  /** The query for the next page; null on the last page. */
  readonly next: string | null;
}

export interface ApiDetail extends ApiSummary {
  readonly report: DocumentReport;
  readonly model: ModelSummary;
  readonly fetchUrl: string | null;
  /** Null if the API is not served, because the project file configures its credentials. */
  readonly credentials: CredentialsSummary | null;
  /**
   * The reason why the current files of the project are not served and an earlier state is; null if they are
   * served.
   */
  readonly refusal: string | null;
  /** Null if the API is not disabled. */
  readonly disabled: {
    /** ISO 8601; null if unknown. */
    readonly at: string | null;
    readonly by: string | null;
    readonly reason: string;
  } | null;
}

/** The calls of an API since midnight (UTC) by this instance, and the limits that its answers or the project declare. */
export interface ApiUsage {
  /** The limits of the gateway's own credential; none if none is known. */
  readonly limits: readonly {
    /** Null if the API does not declare the size of the limit. */
    readonly limit: number | null;
    readonly left: number;
    readonly resetSeconds: number;
  }[];
  readonly sets: readonly { readonly name: string; readonly calls: number; readonly kept: number }[];
}

/** A change for the clients of an API, in a sentence that names the affected part. */
export interface ServiceChange {
  /** `breaking` removes something from clients, `granting` gives a role a permission. */
  readonly kind: 'breaking' | 'granting' | 'compatible';
  readonly message: string;
}

/** The parts of an API that a change can replace. */
export type StatePart = 'document' | 'overlay' | 'description' | 'serviceUrl' | 'fetchUrl';

/** A change of an API in the history, listed by the number of the state before it. */
export interface RecordedChange {
  /** ISO 8601. */
  readonly at: string;
  /** The e-mail address of the user; null without access control and for the command line. */
  readonly by: string | null;
  /** The replaced parts. */
  readonly replaced: readonly StatePart[];
  /** The effects on clients. */
  readonly changes: readonly ServiceChange[];
}

export interface ListedChange extends RecordedChange {
  readonly state: number;
}

/** The request and response of an operation that was tried out. */
export interface TryItResult {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** `base64` for a body that is not text. */
  readonly encoding: 'text' | 'base64';
  readonly truncated: boolean;
  readonly milliseconds: number;
  /** A curl command, with names of variables in place of credentials. */
  readonly curl: string;
}

/** The outcome of trying out one parameter of the list of an entity set. */
export interface ParameterOutcome {
  readonly entitySet: string;
  readonly parameter: string;
  /** The property, and the effect of the parameter on it if the guess from its name is correct. */
  readonly use: string;
  /** `open`: not tried out. `unsafe`: no row at hand could show it, or no value may be sent. */
  readonly verdict: 'proved' | 'refuted' | 'open' | 'unsafe';
}

/** The parameters of an API's lists, as far as they have been tried out. */
export interface ParameterReport {
  /** True while the parameters are being tried. */
  readonly isRunning: boolean;
  readonly parameters: readonly ParameterOutcome[];
}

/**
 * The result of a check of a relation. `resolved`: all values that were looked up are keys of the target; `partly`: some are;
 * `contradicted`: none is; `ambiguous`: they are, and may be keys of another set, too; `undecided`: no row had a value, or
 * none could be looked up; `unread`: the rows cannot be read; `open`: not checked.
 */
export type RelationVerdict =
  | 'resolved'
  | 'partly'
  | 'contradicted'
  | 'ambiguous'
  | 'undecided'
  | 'unread'
  | 'open';

/** A relation between entity sets, and what data has shown of it: no values of rows. */
export interface RelationOutcome {
  readonly entityType: string;
  /** The path of the property that has the key: `CustomerId`, `Customer/Id`. */
  readonly property: string;
  /** The entity set that it refers to. */
  readonly target: string;
  /** Declared and derived relations are served. */
  readonly state: 'declared' | 'derived' | 'suggested' | 'refused';
  /** The part of the document that shows or suggests the relation. */
  readonly foundBy: string;
  /** Other entity sets that have the name, too. */
  readonly alternatives: readonly string[];
  /** The property that names the type of the related entity, if any. */
  readonly typedBy: string | null;
  /** True if an overlay can accept or refuse the relation. */
  readonly isChangeable: boolean;
  readonly verdict: RelationVerdict;
  /** The number of distinct values that were looked up, and of those that are keys of the target. */
  readonly tested: number;
  readonly resolved: number;
  /** The other entity sets that have entities with the values, too. */
  readonly fits: readonly string[];
}

/** The relations of an API. */
export interface RelationReport {
  /** True while values are being looked up. */
  readonly isRunning: boolean;
  readonly relations: readonly RelationOutcome[];
}

/** A decision about a relation: accepted with this entity set, or refused if it is null. */
export interface RelationDecision extends Pick<RelationOutcome, 'entityType' | 'property'> {
  readonly target: string | null;
}
