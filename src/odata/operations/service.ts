import type { EntitySource } from '../../contract/entity-source.ts';
import type { GatewayRequest, GatewayResponse } from '../../contract/exchange.ts';
import type { Model } from '../../model/edm.ts';
import type { ODataVersion } from '../payload/version.ts';
import type { AnswerMemory } from './answer-memory.ts';
import type { Paging } from './paging.ts';

/** What the operations work on: one model, its data, and where clients find it. */
export interface Service {
  readonly model: Model;
  readonly source: EntitySource;
  /** The public URL of the service root, without a slash at the end. */
  readonly root: string;
  readonly answers: AnswerMemory;
  readonly paging: Paging;
}

/** Answers one kind of request to one URL. What depends on the URL alone is done before. */
export type Operation = (request: GatewayRequest, version: ODataVersion) => Promise<GatewayResponse>;
