import type { Row, Value } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { demandViews } from '../../engine/load/related-resources.ts';
import { prepareEntity } from '../../engine/read/prepare-query.ts';
import { isStream, resultResource } from '../../engine/resource/place.ts';
import type { BoundCall, CollectionResource, EntityResource } from '../../engine/resource/resource.ts';
import { shownOptions } from '../query/entity-options.ts';
import type { Below } from '../query/read.ts';
import type { GraphQLContext } from '../schema/graphql-context.ts';
import { fieldName } from '../schema/graphql-name.ts';
import { toldValue } from './told-row.ts';

/** A change as the gateway's operations take it. */
export interface Change {
  readonly method: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Relative to the service root, percent-encoded. */
  readonly url: string;
  readonly body?: string | undefined;
  readonly ifMatch?: string | undefined;
}

/** Carries out a change; what is answered, as a text. What is wrong with the input is told by its path there. */
export async function perform(
  { call, change }: GraphQLContext,
  { method, url, body, ifMatch }: Change,
): Promise<string> {
  const headers = {
    accept: 'application/json',
    // Before 4.01, what no type describes would be a text.
    'odata-maxversion': '4.01',
    prefer: 'return=representation',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(ifMatch !== undefined && { 'if-match': ifMatch }),
  };
  try {
    const answer = await change({
      ...call,
      method,
      target: `/${url}`,
      headers,
      body: body === undefined ? undefined : Buffer.from(body),
    });
    return String(answer.body ?? '');
  } catch (error) {
    throw error instanceof GatewayError && body !== undefined ? byInput(error) : error;
  }
}

/** Mistakes in a body go by the model's names. */
function byInput(error: GatewayError): GatewayError {
  const { code, message, details, headers, cause, limit } = error;
  return new GatewayError(code, message, {
    details: details.map((detail) =>
      detail.target === undefined ? detail : { ...detail, target: inputPath(detail.target) },
    ),
    headers,
    cause,
    ...(limit !== undefined && { limit }),
  });
}

function inputPath(target: string): string {
  return ['input', ...target.split('/').map((name) => (/^\d+$/.test(name) ? name : fieldName(name)))].join(
    '.',
  );
}

/** Carries out a change of an entity, and shows what has become of it. Whoever may not see that is refused before. */
export async function changeShown(
  context: GraphQLContext,
  place: CollectionResource | EntityResource,
  change: Change,
  { questions, fields }: Below,
): Promise<Row | null> {
  const { service, call } = context;
  const loading = { service, context: call };
  const isShown = fields.some(({ field }) => !field.name.startsWith('__'));
  if (isShown && change.method !== 'POST') service.source.permit?.(place.resource, 'View', call);
  const type = place.cast ?? place.entityType;
  const prepared = prepareEntity(service, place, {
    ...shownOptions(questions, type, fields),
    aliases: new Map(),
  });
  demandViews(loading, prepared.wanted);
  const text = await perform(context, change);
  const row = text === '' ? null : toldValue(text);
  if (row === null || typeof row !== 'object') return null;
  return prepared.run(loading, row as Row);
}

/** Calls an action, and shows what it returns; true where that is nothing. */
export async function callAction(
  context: GraphQLContext,
  call: BoundCall,
  change: Change,
  below: () => Below,
): Promise<unknown> {
  const { returns } = call.callable;
  const { service } = context;
  if (returns === undefined || isStream(returns)) {
    await perform(context, change);
    return true;
  }
  const result = resultResource(service.model, call);
  if (result.kind !== 'collection' && result.kind !== 'entity') {
    const value = toldResult(await perform(context, change));
    const isWhole = returns.type.kind === 'complex' && !returns.collection;
    return isWhole ? value : memberOfResult(value);
  }
  const { questions, fields } = below();
  const loading = { service, context: context.call };
  const options = { ...shownOptions(questions, result.entityType, fields), aliases: new Map() };
  const prepared = prepareEntity(service, result, options);
  demandViews(loading, prepared.wanted);
  const told = toldResult(await perform(context, change));
  if (result.kind === 'entity') return told === null ? null : prepared.run(loading, told);
  return Promise.all((memberOfResult(told) as readonly Row[]).map((row) => prepared.run(loading, row)));
}

/** An empty body is null. */
function toldResult(text: string): Row | null {
  return text === '' ? null : (toldValue(text) as Row);
}

/** JSON Format 4.01, 11 and 12: values and collections stand in an object. */
function memberOfResult(told: Row | null): Value {
  return told?.['value'] ?? null;
}
