import type { QueryOptions } from '../../url/tree.ts';
import { dataStyle } from '../data-style.ts';
import { etagHeaders, underConditions, withTag } from '../entity-tag.ts';
import { loadValue } from '../load/load-value.ts';
import type { ValueResource } from '../resource/resource.ts';
import { noContent, success } from '../response.ts';
import type { Operation, Service } from '../service.ts';
import { valueAnswer } from './value-answer.ts';

/** Reads a property, or what a function returns that is no entity (Part 1, 11.2.4 and 11.5.4); 204 for null. */
export function readValue(service: Service, value: ValueResource, options: QueryOptions): Operation {
  const answer = valueAnswer(service, value, options);
  return async (request, version) => {
    const style = dataStyle(options.format, request, version);
    const { data, version: state, tag } = await loadValue({ service, context: request }, value);
    if (data === null) return underConditions(request, noContent(version, etagHeaders(tag)));
    const kept = answer.repeatable ? state : undefined;
    const found = await service.answers.answer(kept, `${request.target} ${style.key}`, () =>
      success(version, style.contentType, answer.write(data, style)),
    );
    const tagged = withTag(found, tag);
    return answer.repeatable ? underConditions(request, tagged) : tagged;
  };
}
