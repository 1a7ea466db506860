import type { GraphQLResolveInfo } from 'graphql';
import type { EntitySource } from '../../contract/entity-source.ts';
import type { BudgetedRequest } from '../../contract/exchange.ts';
import type { GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
import type { Principal } from '../../contract/principal.ts';
import type { Row } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { QueryLimits } from './query-limits.ts';
import type { Questions } from './questions.ts';
import type { Stretches } from './stretches.ts';

/** What queries are asked of. */
export interface QueryService {
  readonly model: Model;
  /** The entities, behind the permissions of whoever asks. */
  readonly source: EntitySource;
  readonly limits: QueryLimits;
  readonly log: Log;
}

/** What resolvers know of the request and of the service. */
export interface GraphQLContext {
  readonly service: QueryService;
  readonly call: BudgetedRequest;
  /** When the objects of the answer are completed. */
  readonly stretches: Stretches;
  /** Who asks, once that has been asked. */
  readonly currentUser?: Principal;
  /** What reading the document's only field has failed with already. */
  readonly failed?: GatewayError | undefined;
  /** What the selection below a field is made into queries with. */
  readonly questions: (info: GraphQLResolveInfo) => Questions;
  /** The public URL of an entity's stream; of its own one where no name is given. */
  readonly streamUrl: (type: EntityType, row: Row, name: string | undefined) => string | null;
}
