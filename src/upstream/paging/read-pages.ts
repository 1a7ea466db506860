import type { CollectionSnapshot, ListPart } from '../../contract/entity-source.ts';
import { askerOf, type CallContext } from '../../contract/exchange.ts';
import type { GatewayError } from '../../contract/gateway-error.ts';
import { type PagedList, PageFetcher } from './page-fetcher.ts';
import { ListHasChanged, PageWalk } from './page-walk.ts';
import { changedList } from './paging-errors.ts';

/**
 * Reads a list, or the wanted part of it: never less than that without the position where it goes on. A list that changes
 * while its pages are read is read once more, unless the sink has taken some of its rows.
 */
export async function readPages(
  list: PagedList,
  part: ListPart | undefined,
  call: CallContext,
): Promise<CollectionSnapshot> {
  const end = list.joint?.end ?? performance.now() + list.limits.time;
  let endExport: (() => void) | undefined;
  const walk = async (repeated: number | undefined): Promise<CollectionSnapshot> => {
    const fetcher = new PageFetcher(list, call, end);
    const beginExport = (): boolean => {
      // Lists that are read together count as one.
      if (list.joint !== undefined) return true;
      endExport = list.exports.begin(askerOf(call));
      return endExport !== undefined;
    };
    try {
      return await new PageWalk(list, part, fetcher, { repeated, beginExport, memory: call.memory }).toEnd();
    } finally {
      fetcher.close();
      endExport?.();
    }
  };
  try {
    return await walk(undefined);
  } catch (error) {
    if (!(error instanceof ListHasChanged)) throw error;
    const mayRestart = part?.sieve === undefined || part.sieve.restart !== undefined;
    if (!mayRestart || error.isPassedOn) throw reported(list, error);
    part?.sieve?.restart?.();
    return walk(error.repeated).catch((again: unknown) => {
      if (!(again instanceof ListHasChanged)) throw again;
      throw reported(list, again);
    });
  }
}

function reported(list: PagedList, { progress }: ListHasChanged): GatewayError {
  const changed = changedList(progress);
  list.report(changed);
  return changed;
}
