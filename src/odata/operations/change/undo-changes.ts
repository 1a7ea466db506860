import type { BudgetedRequest } from '../../../contract/exchange.ts';
import { type ErrorDetail, GatewayError } from '../../../contract/gateway-error.ts';
import { quote } from '../../../engine/input/mistakes.ts';
import { operationArguments } from '../../../engine/load/load.ts';
import { collectionOf } from '../../../engine/resource/entity-set-resource.ts';
import { memberOf } from '../../../engine/resource/place.ts';
import type { EntityResource } from '../../../engine/resource/resource.ts';
import type { Service } from '../service.ts';

/** Who changes something, of which others are a part. */
export interface ChangeSite {
  readonly service: Service;
  readonly request: BudgetedRequest;
}

/** Something that was done upstream before something else failed. */
export interface Done {
  /** The URL of what was changed, below the service root. */
  readonly url: string;
  /** What is said of it when it is taken back, and where it cannot be. */
  readonly undone: string;
  readonly left: string;
  /** Undefined where the upstream has no operation for that. */
  readonly undo: ((site: ChangeSite) => Promise<void>) | undefined;
}

/** Does what was planned; where a part of it fails, what was done is taken back, the last first. */
export async function carryOut<Result>(
  site: ChangeSite,
  run: (done: Done[]) => Promise<Result>,
): Promise<Result> {
  const done: Done[] = [];
  try {
    const result = await run(done);
    site.service.done?.push(...done);
    return result;
  } catch (error) {
    throw await failedChange(site, done, error);
  }
}

/** The error then says what of it is taken back and what is left. */
async function failedChange(site: ChangeSite, done: readonly Done[], error: unknown): Promise<unknown> {
  if (!(error instanceof GatewayError) || done.length === 0) return error;
  const details: ErrorDetail[] = [...error.details];
  for (const each of done.toReversed()) {
    const what = (await isUndone(site, each)) ? each.undone : each.left;
    const target = decodeURIComponent(each.url);
    details.push({ code: 'FailedDependency', message: `${quote(target)}: ${what}.`, target });
  }
  const { code, message, headers, cause, target } = error;
  return new GatewayError(code, message, {
    details,
    headers,
    cause,
    ...(target !== undefined && { target }),
  });
}

/** Takes back what was done, the last first; whether all of it could be. */
export async function takeBack(site: ChangeSite, done: readonly Done[]): Promise<boolean> {
  let isWhole = true;
  for (const each of done.toReversed()) isWhole = (await isUndone(site, each)) && isWhole;
  return isWhole;
}

/** In the name of whoever made the change, even where the client has gone away. */
async function isUndone({ service, request }: ChangeSite, { url, undo }: Done): Promise<boolean> {
  if (undo === undefined) return false;
  try {
    await undo(unconditional({ service, request: { ...request, signal: new AbortController().signal } }));
    return true;
  } catch (error) {
    service.log?.warn({ id: request.id, target: url, err: error }, 'a change could not be taken back');
    return false;
  }
}

/** What the request says of the state of its own entity is not meant for others. */
export function unconditional({ service, request }: ChangeSite): ChangeSite {
  const { 'if-match': _, 'if-none-match': __, ...headers } = request.headers;
  return { service, request: { ...request, headers } };
}

/** It is deleted at its place, or else in its set. */
export function createdEntity(created: EntityResource): Done {
  const { entitySet, known } = created;
  const isElsewhere = created.delete === undefined && entitySet !== undefined;
  const entity = isElsewhere ? memberOf(collectionOf(entitySet), known) : created;
  const { delete: operation, resource, url } = entity;
  return {
    url,
    undone: 'it is deleted again',
    left: 'it was created and cannot be deleted',
    undo:
      operation &&
      (async ({ service, request }) => {
        const args = await operationArguments({ service, context: request }, operation, entity);
        if (args === undefined) throw new Error(`The key of ${url} is not known`);
        const isDemanded = operation.precondition?.required === true;
        const conditions = isDemanded ? { 'if-match': '*' } : {};
        await service.source.delete({ resource, operation, arguments: args, conditions }, request);
      }),
  };
}
