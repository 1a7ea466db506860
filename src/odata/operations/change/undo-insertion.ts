import type { GatewayRequest } from '../../../contract/exchange.ts';
import { type ErrorDetail, GatewayError } from '../../../contract/gateway-error.ts';
import { quote } from '../../payload/body/mistakes.ts';
import { operationArguments } from '../load/load.ts';
import type { EntityResource } from '../resource/resource.ts';
import type { Service } from '../service.ts';

/** An entity that was created before another one failed. */
export interface Created {
  readonly entity: EntityResource;
}

interface UndoSite {
  readonly service: Service;
  readonly request: GatewayRequest;
}

/** Deletes what was created, the last first; the error then says what of it is gone and what is left. */
export async function failedInsertion(
  site: UndoSite,
  created: readonly Created[],
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof GatewayError) || created.length === 0) return error;
  const details: ErrorDetail[] = [...error.details];
  for (const { entity } of created.toReversed()) {
    const what = (await undo(site, entity)) ? 'it is deleted again' : 'it was created and cannot be deleted';
    const target = decodeURIComponent(entity.url);
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

/** In the name of whoever created it, even where the client has gone away. */
async function undo({ service, request }: UndoSite, entity: EntityResource): Promise<boolean> {
  const { delete: operation, resource } = entity;
  const context = { ...request, signal: new AbortController().signal };
  try {
    const args = operation && (await operationArguments({ service, context }, operation, entity));
    if (operation === undefined || args === undefined) return false;
    await service.source.delete({ resource, operation, arguments: args }, context);
    return true;
  } catch (error) {
    service.log?.warn(
      { id: request.id, target: entity.url, err: error },
      'a created entity could not be deleted',
    );
    return false;
  }
}
