import type { TryItResult } from '../contract/api-report.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import {
  type FoundApi,
  findApi,
  noServiceUrl,
  type RegistryDependencies,
  serviceUrlOf,
} from './apis/registry.ts';
import { IDENTITY_HEADERS } from './folder/project-sources.ts';
import {
  runTrial,
  shownSetting,
  type TrialAnswer,
  type TrialRequest,
  type TryItRequest,
} from './try-it/run-trial.ts';

/** The API that a request is sent to. */
export interface CalledApi {
  readonly name: string;
  readonly serviceUrl: string;
  /** True if the API is called as the gateway calls it for other users. */
  readonly isServed: boolean;
}

export interface TryItDependencies extends RegistryDependencies {
  readonly send: (api: CalledApi, request: TrialRequest) => Promise<TrialAnswer>;
  /** Variables of the project file that are not secret, such as APPLICATION_NAME. */
  readonly openVariables: Readonly<Record<string, string>>;
}

/** Tries an operation of an API, which need not be in the project. */
export async function tryApi(
  dependencies: TryItDependencies,
  name: string,
  order: TryItRequest,
): Promise<TryItResult> {
  const found = await findApi(dependencies, name);
  const { entry, examination } = found;
  if (examination.document === undefined) throw new GatewayError('Conflict', examination.report.summary);
  const api = await calledApi(dependencies, found);
  const { operationHeaders = IDENTITY_HEADERS, queryParams = {} } = (api.isServed && entry.source) || {};
  const shown = (settings: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(settings).map(([key, value]) => [
        key.toLowerCase(),
        shownSetting(value, dependencies.openVariables),
      ]),
    );
  return runTrial(order, {
    document: examination.document,
    serviceUrl: api.serviceUrl,
    shownHeaders: shown(operationHeaders),
    shownQuery: shown(queryParams),
    send: (request) => dependencies.send(api, request),
  });
}

/** The API as it is called; throws Forbidden for an address that may not be called. */
export async function calledApi(
  { served, guard }: Pick<TryItDependencies, 'served' | 'guard'>,
  { entry, examination }: FoundApi,
): Promise<CalledApi> {
  const live = entry.source && served(entry.name);
  const serviceUrl = live?.serviceUrl ?? serviceUrlOf(entry, examination);
  if (serviceUrl === undefined) throw noServiceUrl('Conflict');
  // Served URLs were checked or are the operator's; their connections are checked nevertheless.
  const isGiven = live === undefined || entry.registration?.serviceUrl === serviceUrl;
  const refusal = isGiven ? await guard.refusalOf(serviceUrl) : undefined;
  if (refusal !== undefined) throw new GatewayError('Forbidden', `${refusal}.`, { target: 'serviceUrl' });
  return { name: entry.name, serviceUrl, isServed: live !== undefined };
}
