import type { ApiDetail, ApiUsage, ParameterReport, RelationReport } from '../contract/api-report.ts';
import type { Audit } from '../contract/audit.ts';
import {
  type CallContext,
  type GatewayRequest,
  type GatewayResponse,
  jsonAnswer,
} from '../contract/exchange.ts';
import { GatewayError, signInRequired } from '../contract/gateway-error.ts';
import type { AnswerSample, LearnableRead, ReadOutcome } from '../contract/improvements.ts';
import { parseJsonObject } from '../contract/json-body.ts';
import type { Log } from '../contract/log.ts';
import { ADMINISTRATOR, isAdministrator, type Principal } from '../contract/principal.ts';
import type { JsonObject } from '../core/json-object.ts';
import { overlayFiles } from '../openapi/overlay/overlay-document.ts';
import type { HostList } from './address/address-guard.ts';
import { detailOf, findApi } from './apis/registry.ts';
import type { ChangeDependencies } from './apis/store-changes.ts';
import type { SeenApis } from './fetch-operations.ts';
import { readApis, registrationFile } from './folder/api-folder.ts';
import { disabledFile } from './folder/disabled-apis.ts';
import { whileLocked } from './folder/project-lock.ts';
import type { Progress } from './progress.ts';
import type { CalledApi, TryItDependencies } from './try-api.ts';
import type { TrialAnswer, TrialRequest } from './try-it/run-trial.ts';

export interface RegistryOptions
  extends Omit<ChangeDependencies, 'lock'>,
    Pick<TryItDependencies, 'openVariables'> {
  /** The public URL of the registry, such as `https://api.example.com/api/registry`. */
  readonly url: string;
  /** Hosts that documents may be fetched from. */
  readonly hosts: HostList;
  /** Sends a request to an API as the gateway would. */
  readonly send: (api: CalledApi, request: TrialRequest, call: CallContext) => Promise<TrialAnswer>;
  /** Calls reads of an API, and returns the forms of their answers. */
  readonly sample: (
    reads: readonly LearnableRead[],
    send: (request: TrialRequest) => Promise<TrialAnswer>,
  ) => Promise<{ readonly samples: readonly AnswerSample[]; readonly outcomes: readonly ReadOutcome[] }>;
  /** Throws Forbidden for requests of pages of other origins. */
  readonly checkOrigin: (request: GatewayRequest) => void;
  readonly log: Log;
  readonly progress: Progress;
  /** Excludes changes by other processes on the accounts' database; undefined without one. */
  readonly exclusively?: (<Result>(work: () => Promise<Result>) => Promise<Result>) | undefined;
  /** Undefined without an audit log. */
  readonly audit?: Audit | undefined;
  /** Returns the e-mail address of an account, or the id of an unknown account; undefined without accounts. */
  readonly emailOf?: ((id: string) => Promise<string>) | undefined;
  /** The calls of a served API; undefined if nothing is served. */
  readonly usage?: ((name: string) => ApiUsage | undefined) | undefined;
  /** Undefined if nothing is served that parameters could be tried out for. */
  readonly parameters?: Checks<ParameterReport> | undefined;
  /** Undefined if nothing is served whose values could be looked up. */
  readonly relations?: Checks<RelationReport> | undefined;
}

/** Checks of the data of an API. */
export interface Checks<Report> {
  report(api: string, call: CallContext): Report;
  /** Returns at once; the report says when it is over. */
  start(api: string, call: CallContext): Report;
  forget(api: string): void;
}

export interface Registry extends RegistryOptions {
  /** Runs changes one after the other. */
  readonly inTurn: Mutex;
  readonly seen: SeenApis;
}

export function bodyOf({ headers, body }: GatewayRequest): JsonObject {
  return parseJsonObject(headers['content-type'], body ?? new Uint8Array());
}

/** The description of an API for a response. Its operations count as seen. */
export async function describe(registry: Registry, name: string): Promise<ApiDetail> {
  const found = await findApi(registry, name);
  if (!registry.seen.has(name)) registry.seen.set(name, found);
  return detailOf(registry, found);
}

/**
 * The name of the user in the history, which stays readable when the account is deleted.
 *
 * Null for an unknown user.
 */
export async function nameOfUser(registry: Registry, { principal }: GatewayRequest): Promise<string | null> {
  return principal.kind === 'user' ? nameOf(registry, principal.id) : null;
}

/** The e-mail address of an account; its id if it is unknown or the accounts do not respond. */
export async function nameOf({ emailOf }: Registry, id: string): Promise<string> {
  return (await emailOf?.(id).catch(() => undefined)) ?? id;
}

/**
 * Runs a change, from reading to serving, while no other process changes the project, and records it in the
 * audit log.
 */
export async function change<Result>(
  registry: Registry,
  request: GatewayRequest,
  api: string,
  what: string,
  act: (locked: Registry & ChangeDependencies) => Promise<Result>,
): Promise<Result> {
  const { folder, inTurn, exclusively = (work) => work(), log, audit } = registry;
  const locked = (): Promise<Result> =>
    whileLocked(
      folder,
      (lock) => {
        lock.remember([folder.projectFile, disabledFile(folder), ...filesOf(registry, api)]);
        return act({ ...registry, lock });
      },
      { signal: request.signal },
    );
  const result = await inTurn(() => exclusively(locked));
  audit?.({ action: what, subject: api }, request);
  const { id, principal } = request;
  const user = principal.kind === 'user' ? principal.id : principal.kind;
  log.info({ id, user, api, change: what }, 'the registry of APIs was changed');
  return result;
}

function filesOf({ folder }: Registry, api: string): readonly string[] {
  const found = readApis(folder).find(({ name }) => name === api);
  const documents = found === undefined ? [] : [found.file, ...overlayFiles(found.file)];
  return [registrationFile(folder, api), ...documents];
}

/** An error in the format of OData (OData JSON Format 4.01, 21.1). */
export function writeRegistryError({
  status,
  code,
  message,
  target,
  details,
  headers,
}: GatewayError): GatewayResponse {
  const error = { code, message, target, details: details.length === 0 ? undefined : details };
  return jsonAnswer(status, { error }, headers);
}

/** Whether the principal may use the registry: only administrators manage APIs. */
export function maySeeRegistry(principal: Principal): boolean {
  return principal.kind === 'unrestricted' || (principal.kind === 'user' && isAdministrator(principal));
}

export function assertRole(principal: Principal): void {
  if (maySeeRegistry(principal)) return;
  if (principal.kind === 'anonymous') throw signInRequired();
  throw new GatewayError('Forbidden', `The API registry needs the role ${ADMINISTRATOR}.`);
}

/** Runs tasks one after the other. */
type Mutex = <Result>(task: () => Promise<Result>) => Promise<Result>;

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const done = last.then(task);
    last = done.catch(() => undefined);
    return done;
  };
}
