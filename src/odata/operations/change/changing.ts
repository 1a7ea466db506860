import type { BudgetedRequest } from '../../../contract/exchange.ts';
import type { Changing } from '../../../engine/change/undo-changes.ts';
import { untypedIn } from '../../payload/body/request-body.ts';
import { bodyVersion } from '../../payload/negotiation/version.ts';
import { linkedEntity } from '../bind/referenced-entity.ts';
import { isNamedInAnyForm } from '../entity-tag.ts';
import type { Service } from '../service.ts';

/** Changes entities as a request asks for it: by its body, and under the conditions in its header fields. */
export function changing(service: Service, request: BudgetedRequest): Changing {
  const { 'if-match': match, 'if-none-match': noneMatch } = request.headers;
  return {
    service,
    context: request,
    conditions: { 'if-match': match, 'if-none-match': noneMatch },
    names: isNamedInAnyForm,
    entityOf: (written, type) => linkedEntity({ service, request }, written, type),
    untypedText: untypedIn(bodyVersion(request.headers)),
    done: service.done,
    demandsPresence: service.demandsPresence,
    log: service.log,
  };
}
