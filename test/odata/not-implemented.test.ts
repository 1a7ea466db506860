import { expect, it } from 'vitest';
import { useGateway } from '../support/running-gateway.ts';

const gateway = useGateway();

/** Protocol, 9.3.1: what the standard has and the service has not is a 501, with the place where it stands. */
it.each<[query: string, message: string]>([
  [
    '$apply=aggregate(UserId with sum as S,Forecast)',
    "$apply: the custom aggregate 'Forecast' at position 31 is not implemented",
  ],
  [
    '$apply=aggregate(Id with max as Last,UserId with my.median as M)',
    "$apply: the aggregation method 'my.median' at position 30 is not implemented",
  ],
  [
    '$apply=aggregate($count as N)/my.transformation(1)',
    "$apply: the transformation 'my.transformation' at position 23 is not implemented",
  ],
  [
    '$apply=groupby((UserId,rollup(Levels)))',
    "$apply: the leveled hierarchy 'Levels' at position 16 is not implemented",
  ],
  [
    '$select=Id,@Core.Description',
    "$select: '@Core.Description' in $select at position 3 is not implemented",
  ],
  [
    '$compute=1 as One,$it as All',
    '$compute: a computed property of type Posts.Post at position 9 is not implemented',
  ],
  [
    "$filter=Id eq '1' and Title/@Core.Description eq 'x'",
    "$filter: '@Core.Description' in an expression at position 20 is not implemented",
  ],
  [
    "$filter=Id eq '1' or geometry'SRID=0;Point(0 0)' eq null",
    '$filter: a literal of type Edm.Geometry at position 13 is not implemented',
  ],
  [
    "$filter=Id eq '1' or geo.length(geography'SRID=25832;LineString(0 0,1 1)') gt 1",
    "$filter: the geography 'SRID=25832;LineString(0 0,1 1)' at position 24 is not implemented",
  ],
  [
    "$orderby=Id,matchesPattern(Title,'(a)%5C1')",
    "$orderby: 'matchesPattern' with a pattern that cannot be matched in linear time at position 3 is not implemented",
  ],
])('%s is refused at its position', async (query, message) => {
  const before = gateway.upstream.requests.length;
  const { status, text } = await gateway.fetch(`/odata/Post?${query}`);
  const [target] = query.slice(1).split('=');
  expect([status, JSON.parse(text).error]).toMatchObject([501, { message, target: `$${target}` }]);
  expect(gateway.upstream.requests).toHaveLength(before);
});
