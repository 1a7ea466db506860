import type { Value } from '../../../../contract/row.ts';
import { loadValue } from '../../../../engine/load/load-value.ts';
import type { ValueResource } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/options-tree.ts';
import { appliedHeaders, dataStyle } from '../../protocol/data-style.ts';
import { etagHeaders, formTag, underConditions, withTag } from '../../protocol/entity-tag.ts';
import { noContent, success } from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { appliedValues, itemsType } from './applied-values.ts';
import { valueAnswer } from './value-answer.ts';

/** Reads a property, or what a function returns that is no entity (Part 1, 11.2.4 and 11.5.4); 204 for null. */
export function readValue(service: Service, value: ValueResource, options: QueryOptions): RequestHandler {
  const applied = options.apply === undefined ? undefined : itemsType(value);
  const answer =
    applied === undefined
      ? valueAnswer(service, value, options)
      : appliedValues(service, value, applied, options);
  const isCollection = value.use.collection;
  return async (request, version) => {
    const { target } = request;
    const style = dataStyle(options.format, request, version);
    const { preferences } = style;
    const page = service.paging.pageOf(target, isCollection ? preferences.maxPageSize : undefined);
    const { data, version: state, tag } = await loadValue({ service, context: request }, value);
    if (data === null) return underConditions(request, noContent(version, etagHeaders(tag)));
    const kept = answer.repeatable ? state : undefined;
    const found = await service.answers.answer(kept, `${target} ${style.key}`, async () => {
      const cut = (items: readonly Value[]) => service.paging.cut(items, page, target);
      const body = await answer.write(data, style, request.budget, cut);
      const headers = appliedHeaders(preferences, isCollection ? ['maxpagesize'] : []);
      return success(version, style.contentType, body, headers);
    });
    const tagged = withTag(found, formTag(tag, style));
    return answer.repeatable ? underConditions(request, tagged, tag) : tagged;
  };
}
