import type { WriteConditions } from '../../contract/entity-source.ts';
import { type ErrorDetail, GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
import type { EntityType } from '../../model/edm.ts';
import type { WrittenLink } from '../input/entity-input.ts';
import { quote } from '../input/mistakes.ts';
import type { Reading } from '../input/reading.ts';
import { operationArguments } from '../load/load.ts';
import type { LoadContext } from '../resource/load-context.ts';
import { collectionOf, entityByKey } from '../resource/navigation-source.ts';
import type { EntityResource } from '../resource/resource.ts';

/** Changes entities for one request. */
export interface ChangeContext extends LoadContext {
  /** The state in which the entity that the request is about has to be. */
  readonly conditions: WriteConditions;
  /** Whether a condition names the state that has the tag; {@link isNamed} where nothing else is said. */
  readonly names?: (condition: string, tag: string | undefined) => boolean;
  /** The entity that the input names, which has to be of the type; anything else is a BadRequest. */
  readonly entityOf: (named: WrittenLink, type: EntityType) => EntityResource;
  /** Converts texts for values of Edm.Untyped in the input. */
  readonly ofText?: Reading['ofText'];
  /** Records changes, so that they can be undone later. */
  readonly done?: CompletedChange[] | undefined;
  /** The change is rehearsed with what is there: an entity that is not is an error of the rehearsal. */
  readonly demandsPresence?: boolean | undefined;
  readonly log?: Log | undefined;
}

/** Something that was done upstream before something else failed. */
export interface CompletedChange {
  /** The URL of what was changed, below the service root. */
  readonly url: string;
  /** The messages for an undone change, and for one that remains. */
  readonly undone: string;
  readonly left: string;
  /** Undefined where the upstream has no operation for that. */
  readonly undo: ((site: ChangeContext) => Promise<void>) | undefined;
}

/** Does what was planned; where a part of it fails, what was done is taken back, the last first. */
export async function carryOut<Result>(
  site: ChangeContext,
  run: (done: CompletedChange[]) => Promise<Result>,
): Promise<Result> {
  const done: CompletedChange[] = [];
  try {
    const result = await run(done);
    site.done?.push(...done);
    return result;
  } catch (error) {
    throw await failedChange(site, done, error);
  }
}

/** The error then says what of it is taken back and what is left. */
async function failedChange(
  site: ChangeContext,
  done: readonly CompletedChange[],
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof GatewayError) || done.length === 0) return error;
  const details: ErrorDetail[] = [...error.details];
  for (const each of done.toReversed()) {
    const what = (await isUndone(site, each)) ? each.undone : each.left;
    const target = decodeURIComponent(each.url);
    details.push({ code: 'FailedDependency', message: `${quote(target)}: ${what}.`, target });
  }
  return error.with({ details });
}

/** Takes back what was done, the last first; whether all of it could be. */
export async function compensate(site: ChangeContext, done: readonly CompletedChange[]): Promise<boolean> {
  let isWhole = true;
  for (const each of done.toReversed()) isWhole = (await isUndone(site, each)) && isWhole;
  return isWhole;
}

/** Undoes a change with the permissions of its author, even after the client has disconnected. */
async function isUndone(site: ChangeContext, { url, undo }: CompletedChange): Promise<boolean> {
  if (undo === undefined) return false;
  try {
    const context = { ...site.context, signal: new AbortController().signal };
    await undo(unconditional({ ...site, context }));
    return true;
  } catch (error) {
    site.log?.warn({ id: site.context.id, target: url, err: error }, 'a change could not be undone');
    return false;
  }
}

/** The preconditions of a request apply to its own entity only. */
export function unconditional(site: ChangeContext): ChangeContext {
  return { ...site, conditions: {} };
}

/** The creation of an entity as a change that can be undone: by deleting it at its place, or else in its set. */
export function createdEntity(created: EntityResource): CompletedChange {
  const { entitySet, known } = created;
  const isElsewhere = created.delete === undefined && entitySet !== undefined;
  const entity = isElsewhere ? entityByKey(collectionOf(entitySet), known) : created;
  const { delete: operation, resource, url } = entity;
  return {
    url,
    undone: 'it is deleted again',
    left: 'it was created and cannot be deleted',
    undo:
      operation &&
      (async (site) => {
        const { service, context } = site;
        const args = await operationArguments(site, operation, entity);
        if (args === undefined) throw new Error(`The key of ${url} is not known`);
        const isDemanded = operation.precondition?.required === true;
        const conditions = isDemanded ? { 'if-match': '*' } : {};
        await service.source.delete({ resource, operation, arguments: args, conditions }, context);
      }),
  };
}
