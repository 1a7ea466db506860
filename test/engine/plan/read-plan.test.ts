import { describe, expect, it } from 'vitest';
import type { ListEstimate } from '../../../src/contract/entity-source.ts';
import type { ParameterUse, Verdict } from '../../../src/contract/parameter-trust.ts';
import { modelFromOpenApi } from '../../../src/derive/model-from-openapi.ts';
import { planText } from '../../../src/engine/plan/plan-text.ts';
import { planRead } from '../../../src/engine/plan/read-plan.ts';
import { prepareCollection } from '../../../src/engine/read/prepare-query.ts';
import { collectionOf } from '../../../src/engine/resource/navigation-source.ts';
import { parseRequestTarget } from '../../../src/odata/url/request-target.ts';
import { GENEROUS_LIMITS } from '../../odata/url/limits.ts';
import { SHOP_DOCUMENT } from './shop.ts';

const { model } = modelFromOpenApi([{ name: 'Shop', document: SHOP_DOCUMENT }]);
const LIMITS = { query: { nodes: 1_000 } };

interface Known {
  readonly estimate?: ListEstimate;
  /** The verdict on each use, by kind and parameter: `narrow maker_id`. */
  readonly verdicts?: Readonly<Record<string, Verdict>>;
}

function useText(use: ParameterUse): string {
  if (use.kind === 'order') return `order ${Object.values(use.sorting.arguments).join()}`;
  return `${use.kind} ${use.parameter.parameter.name}`;
}

/** The plan of a query in one line, and the uses that are to be tried out. */
function planOf(query: string, { estimate, verdicts = {} }: Known = {}): readonly string[] {
  const { path, options } = parseRequestTarget(`/${query.replaceAll(' ', '%20')}`, GENEROUS_LIMITS);
  const [segment] = path.kind === 'resource' ? path.segments : [];
  const name = segment?.kind === 'name' ? segment.name : '';
  const set = model.entitySets.get(name);
  if (set?.list === undefined) throw new Error(`No set ${name}`);
  const { wanted } = prepareCollection({ model, limits: LIMITS }, collectionOf(set), options);
  if (wanted.needs === undefined) throw new Error('No needs');
  const { plan, open } = planRead(wanted.needs, {
    list: set.list,
    entityType: set.entityType,
    read: set.read,
    estimate,
    given: [],
    isJoint: false,
    verdictOf: (use) => verdicts[useText(use)] ?? 'unsafe',
  });
  return [planText(plan), ...open.map(useText)];
}

const LONG: ListEstimate = { pageSize: 20, total: 2_000 };
const PROVED = {
  'narrow maker_id': 'proved',
  'narrow made_after': 'proved',
  'narrow ids': 'proved',
  'order -made_at': 'proved',
} as const;

describe('a plan', () => {
  it.each<[string, readonly string[]]>([
    ["Maker?$filter=Id eq 'm7'", ['keys m7']],
    ["Maker?$filter='m7' eq Id and Name ne 'x'", ['keys m7']],
    ["Maker?$filter=Id in ('m7','m8','m7')", ['keys m7, m8']],
    ["Maker?$filter=Id eq 'm7' or Id eq 'm8'", ['keys m7, m8']],
    ["Maker?$filter=(Id eq 'm7' or Id eq 'm8') and Country eq 'DE'", ['keys m7, m8']],
    ["Maker?$filter=Id eq @id&@id='m7'", ['keys m7']],
    ['Box?$filter=Id in (1001,1002.0)', ['keys 1001, 1002']],
    ['Box?$filter=Id eq 1001.5', ['list']],
    ['Box?$filter=Id eq 1e30', ['list']],
    ["Maker?$filter=Id eq 'm7' or Name eq 'x'", ['list']],
    ["Maker?$filter=Id ne 'm7'", ['list']],
    ["Maker?$filter=not (Id eq 'm7')", ['list']],
    ['Maker?$filter=Id eq null', ['list']],
    ['Maker?$filter=Id eq Name', ['list']],
    ["Maker?$filter=Id in ('m7',null)", ['list']],
    ["Maker?$filter=tolower(Id) eq 'm7'", ['list']],
    ["Maker?$filter=Id eq ''", ['list']],
    ["Maker?$filter=Id eq '..'", ['list']],
    ["Maker?$filter=Id eq 'm7' and $these/$count gt 1", ['list']],
    ["Maker?$apply=filter(Id eq 'm7')/aggregate($count as N)", ['keys m7']],
    ["Maker?$apply=filter(Name ne 'x')/filter(Id eq 'm7')/groupby((Country))", ['keys m7']],
    ["Maker?$apply=groupby((Id))/filter(Id eq 'm7')", ['list']],
    ["Maker?$filter=Id eq 'm7'&$apply=groupby((Id))", ['list']],
    ['Part?$filter=Id in (1,2,3,4,5,6,7,8,9)', ['list']],
    ['Part?$filter=Weight gt 5&$top=3&$skip=2', ['list until 5']],
    ['Part?$search=x&$top=3', ['list until 3']],
    ['Part?$filter=Weight gt 5&$top=3&$count=true', ['list']],
    ['Part?$filter=Weight gt 5&$top=3&$orderby=Weight', ['list']],
    ['Part?$filter=Box/Label eq %27x%27&$top=3', ['list']],
  ])('without proofs, of a list of unknown length: %s', (query, plan) => {
    expect(planOf(query)).toStrictEqual(plan);
  });

  it.each<[string, ListEstimate, readonly string[]]>([
    ['Part?$filter=Id in (1,2,3)', { pageSize: 20, total: 40 }, ['list']],
    ['Part?$filter=Id in (1,2,3)', { pageSize: 1, total: 40 }, ['list']],
    ['Part?$filter=Id in (1,2)', { pageSize: 20, total: 40 }, ['keys 1, 2']],
    ['Part?$filter=Id in (1,2,3,4,5,6,7,8,9)', LONG, ['keys 1, 2, 3, 4, 5, 6, 7, 8, 9']],
    ['Part?$filter=Id in (1,2)', { pageSize: 100, total: 20 }, ['list']],
  ])('reads the list if that takes fewer calls: %s %o', (query, estimate, plan) => {
    expect(planOf(query, { estimate })).toStrictEqual(plan);
  });

  it.each<[string, readonly string[]]>([
    ['Part?$filter=Id in (1,2)', ['ids ids=[1,2]']],
    ["Part?$filter=MakerId eq 'm1' and Weight gt 3", ['list maker_id=m1']],
    ["Part?$filter=MakerId in ('m1','m2')", ['lists maker_id=m1 | maker_id=m2']],
    ["Part?$filter=MakerId eq 'm1' and MakerId eq 'm2'", ['list maker_id=m1']],
    ["Part?$filter=MakerId eq 'm1' or Weight gt 3", ['list']],
    ["Part?$filter=MakerId eq 'm1'&$top=5&$skip=2", ['list maker_id=m1 until 7']],
    ['Part?$orderby=MadeAt desc&$top=5', ['list sort=-made_at until 5']],
    ['Part?$orderby=MadeAt desc,Id&$top=5', ['list sort=-made_at until 5']],
    ['Part?$orderby=MadeAt&$top=5', ['list']],
    ['Part?$orderby=Id,MadeAt desc&$top=5', ['list']],
    ['Part?$orderby=MadeAt desc', ['list']],
    ["Part?$filter=MakerId eq 'm1'&$orderby=MadeAt desc&$top=5", ['list sort=-made_at maker_id=m1 until 5']],
  ])('with proofs: %s', (query, plan) => {
    expect(planOf(query, { estimate: LONG, verdicts: PROVED })).toStrictEqual(plan);
  });

  it('sends a bound one unit wider if it may be exclusive', () => {
    const plan = planOf('Part?$filter=MadeAt ge 2025-03-01T00:00:00Z', {
      estimate: LONG,
      verdicts: PROVED,
    });
    expect(plan).toStrictEqual(['list made_after=2025-02-28T10:00:00.000Z']);
  });

  it.each<[string, ListEstimate | undefined, readonly string[]]>([
    ["Part?$filter=MakerId eq 'm1'", undefined, ['list', 'narrow maker_id']],
    ["Part?$filter=MakerId eq 'm1'", LONG, ['list', 'narrow maker_id']],
    ["Part?$filter=MakerId eq 'm1'", { pageSize: 20, total: 20 }, ['list']],
    ["Part?$filter=MakerId eq 'm1' and Id eq 7", LONG, ['keys 7']],
    ['Part?$orderby=MadeAt desc&$top=5', LONG, ['list', 'order -made_at']],
    ['Part?$filter=Id in (1,2,3)', LONG, ['keys 1, 2, 3', 'narrow ids']],
  ])('names the uses to try out if that spares calls: %s %o', (query, estimate, plan) => {
    const verdicts = { 'narrow maker_id': 'open', 'narrow ids': 'open', 'order -made_at': 'open' } as const;
    expect(planOf(query, { ...(estimate && { estimate }), verdicts })).toStrictEqual(plan);
  });

  it.each<[string, Readonly<Record<string, Verdict>>, readonly string[]]>([
    [
      "Part/$count?$filter=MakerId eq 'm1'",
      { 'exact maker_id': 'proved' },
      ['list maker_id=m1 for its total'],
    ],
    [
      "Part/$count?$filter=MakerId eq 'm1'",
      { 'narrow maker_id': 'proved', 'exact maker_id': 'unsafe' },
      ['list maker_id=m1'],
    ],
    [
      "Part/$count?$filter=MakerId eq 'm1' and Weight gt 3",
      { 'exact maker_id': 'proved' },
      ['list maker_id=m1'],
    ],
  ])('counts by the total only if all conditions are exact: %s %o', (query, verdicts, plan) => {
    const [path = '', options = ''] = query.split('?');
    const counted = `${path.replace('/$count', '')}?${options}&$count=true&$top=0`;
    const planned = planOf(counted, { estimate: { pageSize: 20, total: 60 }, verdicts });
    expect(planned.slice(0, 1)).toStrictEqual(plan);
  });
});
