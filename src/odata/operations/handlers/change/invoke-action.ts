import type { Row, Value } from '../../../../contract/row.ts';
import { callAction } from '../../../../engine/change/call-action.ts';
import { assertOnlyOptions } from '../../../../engine/query/pipeline.ts';
import { prepareCollection, prepareEntity } from '../../../../engine/read/prepare-query.ts';
import type { LoadContext } from '../../../../engine/resource/load-context.ts';
import { resultResource } from '../../../../engine/resource/navigation-source.ts';
import type {
  CollectionResource,
  EntityResource,
  Invocation,
  ValueResource,
} from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/query-tree.ts';
import { readActionParameters } from '../../../payload/body/request-body.ts';
import { writeCollection, writeEntity } from '../../../payload/json/json.ts';
import type { JsonText } from '../../../payload/json/json-text.ts';
import {
  appliedHeaders,
  type DataStyle,
  dataStyle,
  noContent,
  representation,
} from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { shapeOf } from '../../shape/entity-shape.ts';
import { valueAnswer } from '../read/read-value.ts';
import { changing } from './change-context.ts';

/** Calls an action with the parameters in the request body (Part 1, 11.5.5). */
export function invokeAction(service: Service, bound: Invocation, options: QueryOptions): RequestHandler {
  const write = resultWriter(service, bound, options);
  if (write === undefined)
    assertOnlyOptions(options, ['format', 'schemaVersion'], 'an action without a result');
  return async (request, version) => {
    const style = dataStyle(options.format, request, version);
    const parameters = readActionParameters(service.model, bound.callable, request);
    const loading = { service, context: request };
    const { data } = await callAction(changing(service, request), bound, parameters);
    if (data === null || write === undefined)
      return noContent(version, appliedHeaders(style.preferences, []));
    if (style.preferences.return === 'minimal') {
      return noContent(version, appliedHeaders(style.preferences, ['return']));
    }
    return representation(style, await write(loading, data, style));
  };
}

type ResultWriter = (loading: LoadContext, data: Value, style: DataStyle) => Promise<JsonText>;

function resultWriter(service: Service, bound: Invocation, options: QueryOptions): ResultWriter | undefined {
  if (bound.callable.returns === undefined) return undefined;
  const result = resultResource(bound);
  switch (result.kind) {
    case 'collection':
      return collectionWriter(service, result, options);
    case 'entity':
      return entityWriter(service, result, options);
    case 'value':
      return valueWriter(service, result, options);
    case 'stream':
      return undefined;
  }
}

function collectionWriter(
  service: Service,
  collection: CollectionResource,
  options: QueryOptions,
): ResultWriter {
  const prepared = prepareCollection(service, collection, options);
  const shape = shapeOf(service, collection, options, prepared);
  return async (loading, data, style) => {
    const { rows: found, count } = await prepared.run(loading, { data: data as readonly Row[] });
    const rows = await prepared.expand(loading, found);
    const { budget } = loading.context;
    return budget.run(writeCollection(shape(style), rows, { count }, budget));
  };
}

function entityWriter(service: Service, entity: EntityResource, options: QueryOptions): ResultWriter {
  const prepared = prepareEntity(service, entity, options);
  const shape = shapeOf(service, entity, options, prepared);
  return async (loading, data, style) => {
    const row = await prepared.run(loading, data as Row);
    const { budget } = loading.context;
    return budget.run(writeEntity(shape(style), row, budget));
  };
}

function valueWriter(service: Service, value: ValueResource, options: QueryOptions): ResultWriter {
  const { write } = valueAnswer(service, value, options);
  return async ({ context: { budget } }, data, style) => write(data, style, budget);
}
