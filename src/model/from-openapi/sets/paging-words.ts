import { styleless } from '../names.ts';

const PAGING =
  /^(?:page|pagenumber|pageindex|pageno|pagesize|perpage|limit|offset|skip|top|take|maxresults|maxitems|cursor|pagetoken|nexttoken|startat|startindex|startingafter|pageoffset|pagelimit)$/;

/** Whether a query parameter chooses a page of a list, or how large it is, by its name. */
export function isPagingParameter(name: string): boolean {
  return PAGING.test(styleless(name));
}
