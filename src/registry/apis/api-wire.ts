import type {
  ApiOperation,
  CredentialsSummary,
  DocumentReport,
  ModelSummary,
} from '../../contract/api-report.ts';

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

export type ApiState =
  /** Beside the project, but no part of it. */
  | 'registered'
  /** In the project, and served. */
  | 'live'
  /** Live, and nobody may use it yet: no role is granted anything. */
  | 'ungranted'
  /** In the project, but it cannot be served. */
  | 'failed';

export interface ApiDetail extends ApiSummary {
  readonly report: DocumentReport;
  readonly model: ModelSummary;
  readonly fetchUrl: string | null;
  /** Null where it is not served: the project file says what is given. */
  readonly credentials: CredentialsSummary | null;
  /** Why the project's files as they are now are not what is served, and an earlier state is; null where they are. */
  readonly refusal: string | null;
}

/** What the gateway makes of the project at the moment. */
export interface ServedApi {
  readonly serviceUrl: string;
  readonly model: ModelSummary;
  readonly credentials: CredentialsSummary;
  readonly refusal?: string | undefined;
}

/** An operation, without what it becomes. */
export function writeOperation({ id, method, path, summary }: ApiOperation) {
  return { id, method, path, summary };
}
