import type { CallContext } from '../../contract/exchange.ts';
import type { PageLimits } from '../../contract/page-limits.ts';
import type { Rows } from '../../contract/rows.ts';
import type { Paging } from '../../model/paging.ts';
import type { JointReading } from './joint-reading.ts';
import type { JointVersions } from './joint-versions.ts';
import type { PageAnswer } from './next-page.ts';
import type { PagePlace } from './next-target.ts';
import type { PageRequest } from './page-request.ts';

/** A list that may come in pages. */
export interface PagedList {
  readonly paging: Paging;
  readonly place: PagePlace;
  readonly limits: PageLimits;
  readonly versions: JointVersions;
  /** What is read of it and of others together. */
  readonly joint?: JointReading | undefined;
  /** Asks for one page; undefined where what it is asked for by cannot be a value of the upstream's. */
  readonly fetch: (request: PageRequest, call: CallContext) => Promise<FetchedPage | undefined>;
  /** Takes note of what is wrong with what came. */
  readonly report: (error: unknown) => void;
}

export interface FetchedPage extends PageAnswer {
  readonly rows: Rows;
  readonly version: number | undefined;
  /** The size of the answer. */
  readonly bytes: number;
}
