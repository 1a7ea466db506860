import type { BudgetedRequest } from '../../../../contract/exchange.ts';
import type { ChangeContext } from '../../../../engine/change/compensation.ts';
import { textReader } from '../../../payload/body/request-body.ts';
import { linkedEntity } from '../../bind/referenced-entity.ts';
import { isNamedInAnyForm } from '../../protocol/response.ts';
import type { Service } from '../../service/service.ts';

/** The context of a request that changes entities, with its preconditions. */
export function changing(service: Service, request: BudgetedRequest): ChangeContext {
  const { 'if-match': match, 'if-none-match': noneMatch } = request.headers;
  return {
    service,
    context: request,
    conditions: { 'if-match': match, 'if-none-match': noneMatch },
    names: isNamedInAnyForm,
    entityOf: (written, type) => linkedEntity({ service, request }, written, type),
    ofText: textReader(request.headers),
    done: service.done,
    demandsPresence: service.demandsPresence,
    log: service.log,
  };
}
