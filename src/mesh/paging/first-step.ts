import type { ListPart } from '../../contract/entity-source.ts';
import type { PageSize, PageWay, Paging } from '../../model/paging.ts';
import { allows, nearestAllowed } from '../../model/value-bounds.ts';
import { FIRST_PAGE, type PagePosition, type PageStep } from './page-position.ts';

/** So few items are enough to see whether the number that is told beside them can be that of all. */
const COUNTED = 20;

/** What is asked for first where a list is wanted from its beginning, or a part of it. */
export function firstStep(paging: Paging, part: ListPart | undefined): PageStep {
  const { skip = 0, top, counted = false } = part ?? {};
  // Whoever counts begins at the beginning; all of the list is read where its answers tell no number.
  if (counted)
    return fromBeginning(paging, skip, paging.tells.total ? Math.max(COUNTED, top ?? 0) : undefined);
  return atOffset(paging, skip, top) ?? atPage(paging, skip, top) ?? fromBeginning(paging, skip, top);
}

/** How many items to ask for, where so many are wanted: as the document allows it. */
export function askedFor(size: PageSize | undefined, wanted: number | undefined): number | undefined {
  if (size === undefined) return undefined;
  const { largest, parameter } = size;
  return wanted === undefined || wanted === Number.POSITIVE_INFINITY
    ? largest
    : nearestAllowed(parameter.values, Math.max(1, wanted));
}

function fromBeginning({ size }: Paging, skip: number, top: number | undefined): PageStep {
  const asked = askedFor(size, top === undefined ? undefined : skip + top);
  return step(FIRST_PAGE, asked, 0, skip);
}

function step(position: PagePosition, asked: number | undefined, before: number, drop: number): PageStep {
  return { position, asked, before, drop, isTold: false, isProbe: false };
}

function atOffset({ ways, size }: Paging, skip: number, top: number | undefined): PageStep | undefined {
  const way = wayOf(ways, 'offset');
  if (skip === 0 || way === undefined || !allows(way.parameter.values, String(way.first + skip)))
    return undefined;
  return step({ kind: 'offset', number: way.first + skip }, askedFor(size, top), skip, 0);
}

/** Only where the document says how many items a page has, and which number the first one has. */
function atPage({ ways, size }: Paging, skip: number, top: number | undefined): PageStep | undefined {
  const way = wayOf(ways, 'page');
  const asked = size?.sure === true ? askedFor(size, top) : undefined;
  if (skip === 0 || way?.first === undefined || asked === undefined) return undefined;
  const pages = Math.floor(skip / asked);
  const number = way.first + pages;
  if (pages === 0 || !allows(way.parameter.values, String(number))) return undefined;
  return step({ kind: 'page', number }, asked, pages * asked, skip - pages * asked);
}

function wayOf<Kind extends PageWay['kind']>(
  ways: readonly PageWay[],
  kind: Kind,
): Extract<PageWay, { kind: Kind }> | undefined {
  return ways.find((way): way is Extract<PageWay, { kind: Kind }> => way.kind === kind);
}
