import type { Query } from './sample.ts';

/** A query over the sample posts, and the keys of the rows it leaves in their order. */
type QueryCase = readonly [query: Query, ids: readonly string[]];

const filter = ($filter: string, ...ids: readonly string[]): QueryCase => [{ $filter }, ids];
const ordered = ($orderby: string, ...ids: readonly string[]): QueryCase => [{ $orderby }, ids];
const found = ($search: string, ...ids: readonly string[]): QueryCase => [{ $search }, ids];

/** By section of OData 4.01: Part 1 is the protocol, Part 2 the URL conventions. */
export const QUERIES: Readonly<Record<string, readonly QueryCase[]>> = {
  'Part 2, 5.1.2, $filter keeps what is true': [
    filter('true', '1', '2', '3', '10', '11'),
    filter('false'),
    filter('null'),
    filter('UserId gt 1', '1', '3', '11'),
    filter('1 lt UserId', '1', '3', '11'),
    filter('UserId eq null', '10'),
    filter('UserId ne 2', '2', '10', '11'),
    filter(`contains(Title,'mb')`, '2', '11'),
    filter(`contains(Title,'mb') eq true`, '2', '11'),
    filter(`startswith(Title,'A') or endswith(Title,'ch')`, '10', '11'),
    filter(`not startswith(Title,'A')`, '1', '2', '10'),
    filter(`not (Title eq 'amber')`, '1', '3', '10', '11'),
    filter(`not (Title eq 'amber' or UserId eq null)`, '1', '3', '11'),
    filter(`not (contains(Title,'m') and UserId gt 1)`, '1', '2', '10'),
    filter(`contains(Body,'first') and UserId gt 1 and Id eq '1'`, '1'),
    filter(`Id eq '1' or Id eq '2' or Id eq '3'`, '1', '2', '3'),
    filter(`tolower(Title) eq tolower('AMBER')`, '2', '11'),
    filter(`Body eq 'O''Neil & Sons'`, '11'),
    filter(`Title in ('amber',null)`, '2', '3'),
    filter(`not (Title in ('amber'))`, '1', '3', '10', '11'),
    filter('Title eq Body'),
    filter('Title lt Body', '1', '11'),
    filter('length(Title) eq 5 and UserId add 1 eq 3', '1'),
    filter('case(UserId eq 2:true,UserId eq 1:null,true:false)', '1', '3'),
  ],
  'Part 1, 11.2.6.1.3, parameter aliases': [
    [{ $filter: 'UserId eq @u', '@u': '2' }, ['1', '3']],
    [{ $filter: 'UserId eq @none' }, ['10']],
    [{ $filter: 'Id in @ids', '@ids': '["3","1"]' }, ['1', '3']],
    [{ $filter: '@a or @a', '@a': 'UserId eq @b', '@b': '1' }, ['2']],
    [{ $filter: `contains(Title,@t)`, '@t': `'mb'` }, ['2', '11']],
  ],
  'Part 1, 11.2.1, the order of evaluation is not that of the URL': [
    [
      {
        $top: '1',
        $skip: '1',
        $orderby: 'N desc',
        $filter: 'N gt 4',
        $search: 'e',
        $compute: 'length(Title) as N',
      },
      ['11'],
    ],
  ],
  'Part 1, 11.2.6.2, $orderby': [
    ordered('Title', '3', '11', '10', '1', '2'),
    ordered('Title desc', '2', '1', '10', '11', '3'),
    ordered('UserId', '10', '2', '1', '3', '11'),
    ordered('UserId desc', '11', '1', '3', '2', '10'),
    ordered('UserId desc,Title', '11', '3', '1', '2', '10'),
    ordered('Id', '1', '10', '11', '2', '3'),
    ordered('Id desc', '3', '2', '11', '10', '1'),
    ordered('UserId gt 1', '10', '2', '1', '11', '3'),
    ordered('UserId gt 1 desc,Id desc', '3', '11', '1', '2', '10'),
    ordered(`contains(Title,'e')`, '3', '10', '1', '11', '2'),
    ordered('tolower(Title),UserId desc', '3', '11', '2', '10', '1'),
    ordered('length(Title) mod 2 desc', '1', '10', '11', '2', '3'),
    ordered('null', '1', '10', '11', '2', '3'),
    ordered(`case(UserId eq 1:NaN,UserId eq 2:1.5,true:INF)`, '2', '1', '3', '10', '11'),
  ],
  'Part 1, 11.2.6.3 and 11.2.6.4, $skip before $top': [
    [{ $top: '2' }, ['1', '2']],
    [{ $skip: '2' }, ['3', '10', '11']],
    [{ $top: '2', $skip: '1' }, ['2', '3']],
    [{ $skip: '9' }, []],
    [{ $top: '0' }, []],
    [{ $top: '9' }, ['1', '2', '3', '10', '11']],
    [{ $filter: 'UserId eq 2', $top: '1' }, ['1']],
    [{ $filter: 'UserId eq 2', $skip: '1' }, ['3']],
    [{ $orderby: 'UserId', $top: '3' }, ['10', '2', '1']],
    [{ $orderby: 'UserId', $top: '2', $skip: '2' }, ['1', '3']],
    [{ $orderby: 'UserId', $skip: '3' }, ['3', '11']],
    [{ $orderby: 'UserId', $top: '0' }, []],
    [{ $orderby: 'Title desc', $filter: 'UserId ne null', $top: '2', $skip: '1' }, ['1', '11']],
    [{ $top: '1', $orderby: 'UserId desc', $skip: '1' }, ['1']],
  ],
  'Part 2, 5.1.8, $search in upper or lower case': [
    found('amber', '2', '3', '11'),
    found('AMBER CEDAR', '3'),
    found('amber AND NOT cedar', '2', '11'),
    found('first OR second', '1', '2'),
    found('NOT first', '2', '3', '10', '11'),
    found('first OR amber AND cedar', '1', '3'),
    found('"the second"', '2'),
    found('"second the"'),
    [{ $search: 'amber', $filter: 'UserId eq 2' }, ['3']],
  ],
  'Part 1, 11.2.5.3, $compute': [
    [{ $compute: 'UserId add 1 as Next', $filter: 'Next eq 3' }, ['1', '3']],
    [{ $compute: 'length(Body) as Size', $orderby: 'Size desc', $top: '2' }, ['3', '11']],
    [{ $compute: 'UserId mul 2 as Twice,Twice mul 2 as Often', $filter: 'Often eq 12' }, ['11']],
  ],
};
