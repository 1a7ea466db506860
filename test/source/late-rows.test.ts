import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveWorld, type World } from '../engine/plan/worlds/world.ts';

const string = { type: 'string' };
const integer = { type: 'integer' };

/** 900 events on nine pages, which only the last key leads through. */
const events = Array.from({ length: 900 }, (_, index) => ({
  id: 70_000 + index,
  station: `st${(index * 7) % 45}`,
  crew: `cr${(index * 11) % 60}`,
  level: 4000 + ((index * 13) % 90),
}));

/** The parameters find what is at the beginning of the list; those for stations and levels find no new events. */
const WORLD: World = {
  collections: [
    {
      path: '/events',
      schema: 'Event',
      key: 'id',
      rows: events,
      paging: 'cursor',
      properties: { id: integer, station: string, crew: string, level: integer },
      filters: {
        station: { property: 'station', op: 'eq' },
        crew: { property: 'crew', op: 'eq' },
        level: { property: 'level', op: 'eq' },
      },
      lies: {
        station: (rows, value) => rows.slice(0, 600).filter(({ station }) => station === value),
        level: (rows, value) => rows.slice(0, 800).filter(({ level }) => level === Number(value)),
      },
    },
  ],
  questions: [],
};

describe('a parameter that lacks rows late in a list that only cursors read', () => {
  const stops: (() => unknown)[] = [];
  let ask: Awaited<ReturnType<typeof serveWorld>>['ask'];
  beforeAll(async () => {
    ({ ask } = await serveWorld(WORLD, (stop) => stops.push(stop)));
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });
  const idsOf = async (query: string) => {
    const { rows, calls } = await ask(`Event?$filter=${query}`);
    return { ids: rows.map(({ Id }) => Number(Id)), calls };
  };
  const eventsWhere = (isWanted: (row: (typeof events)[number]) => boolean) =>
    events.filter(isWanted).map(({ id }) => id);

  it('is not used any more once the whole list has been read', { timeout: 60_000 }, async () => {
    for (const query of ["Station eq 'st7'", "Crew eq 'cr11'", 'Level eq 4013'])
      await ask(`Event?$filter=${query}`);
    // Each read of the whole list confirms a parameter, with no more than two calls beside.
    for (let read = 0; read < 3; read += 1) {
      const { calls, rows } = await ask('Event?$orderby=Crew,Id');
      expect([rows.length, calls <= 9 + 2]).toStrictEqual([900, true]);
    }
    const station = await idsOf("Station eq 'st7'");
    const level = await idsOf('Level eq 4013');
    expect(station.ids).toStrictEqual(eventsWhere((row) => row.station === 'st7'));
    expect(level.ids).toStrictEqual(eventsWhere((row) => row.level === 4013));
    expect([station.calls, level.calls]).toStrictEqual([9, 9]);
  });

  it('leaves the others in use', async () => {
    const { ids, calls } = await idsOf("Crew eq 'cr11'");
    expect([ids, calls]).toStrictEqual([eventsWhere(({ crew }) => crew === 'cr11'), 1]);
  });
});
