import type { Row } from '../../contract/row.ts';
import type { Input, Ordering } from '../context/questions.ts';
import { isGiven } from './collection-options.ts';

/** What the fields of a connection are read from: the answers to the queries that it came to. */
export interface Connection {
  readonly ordering: Ordering;
  readonly nodes: readonly Row[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** The rows of one of the queries. */
  readonly answer: (part: string) => readonly Row[];
}

/** One entity more than was wanted tells that others are behind (Relay Cursor Connections, 5.1). */
export function connectionOf(
  ordering: Ordering,
  { first, last, after, before }: Input,
  page: readonly Row[],
  answer: Connection['answer'],
): Connection {
  if (isGiven(last)) {
    const nodes = page.slice(0, Number(last)).reverse();
    const isMore = page.length > nodes.length;
    return { ordering, nodes, hasPreviousPage: isMore, hasNextPage: isGiven(before), answer };
  }
  const nodes = isGiven(first) ? page.slice(0, Number(first)) : page;
  const isMore = page.length > nodes.length;
  return { ordering, nodes, hasNextPage: isMore, hasPreviousPage: isGiven(after), answer };
}
