import { type ContextFragment, contextUrl } from '../payload/context-url.ts';
import { qualifiedTypeName } from '../payload/csdl-type.ts';
import { writeProperty } from '../payload/value-json.ts';
import { refuseAllBut, refuseUnsupported } from '../query/options.ts';
import type { QueryOptions } from '../url/tree.ts';
import { dataStyle } from './data-style.ts';
import { loadValue } from './load-value.ts';
import type { ValueResource } from './resource.ts';
import { noContent, success } from './response.ts';
import type { Operation, Service } from './service.ts';

/** Reads a property, or what a function returns that is no entity (Part 1, 11.2.4 and 11.5.4); 204 for null. */
export function readValue(service: Service, value: ValueResource, options: QueryOptions): Operation {
  refuseOptions(value, options);
  const { model, root } = service;
  const fragment = contextOfValue(service, value);
  return async (request, version) => {
    const { format, contentType, key } = dataStyle(options.format, request, version);
    const { data, version: state } = await loadValue({ service, context: request }, value);
    if (data === null) return noContent(version);
    return service.answers.answer(state, `${request.target} ${key}`, () => {
      const shape = {
        model,
        use: value.use,
        contextUrl: contextUrl(root, fragment, version),
        format,
        version,
      };
      return success(version, contentType, writeProperty(shape, data));
    });
  };
}

/** A single primitive value has no query options; those of others are not there yet. */
function refuseOptions({ use }: ValueResource, options: QueryOptions): void {
  if (use.collection) refuseUnsupported(options, COLLECTION_OPTIONS);
  if (use.type.kind === 'complex') refuseUnsupported(options, ['select', 'expand', 'compute']);
  refuseAllBut(options, ['format', 'schemaVersion'], 'this value');
}

const COLLECTION_OPTIONS = [
  'filter',
  'orderBy',
  'top',
  'skip',
  'count',
  'search',
  'compute',
  'apply',
] as const;

/** The context of a property (Part 1, 10.13) or of an operation's result (10.14 to 10.16). */
export function contextOfValue({ model }: Service, { origin, url, use }: ValueResource): ContextFragment {
  if (origin.kind === 'property') return { kind: 'property', path: url };
  return { kind: 'value', type: qualifiedTypeName(model, use.type), collection: use.collection };
}
