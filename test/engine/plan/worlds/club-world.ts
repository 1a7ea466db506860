import { question, type World } from './world.ts';

const LEVEL = ['bronze', 'silver', 'gold', 'none'] as const;
const STATUS = ['planned', 'played', 'cancelled'] as const;
const REASON = ['late', 'foul', 'other'] as const;

const timeAt = (hours: number): string => new Date(Date.UTC(2024, 5, 1) + hours * 3_600_000).toISOString();
const memberNo = (index: number): string => `M${100_000 + index}`;
const gameId = (index: number): string => `${String(index).padStart(8, '0')}-1111-4222-8333-444455556666`;

const members = Array.from({ length: 2400 }, (_, index) => ({
  member_no: memberNo(index),
  level: LEVEL[(index * 3) % 4] ?? 'none',
  city: `City${(index * 17) % 90}`,
  email: `M${index}@Club.org`,
  joined_on: timeAt(((index * 37) % 2400) * 2),
  points: (index * 71) % 9000,
  active: index % 3 !== 0,
  team_id: ((index * 7) % 30) + 1,
}));

const teams = Array.from({ length: 30 }, (_, index) => ({
  id: index + 1,
  title: `Team ${index + 1}`,
  league: ['A', 'B', 'C'][index % 3] ?? 'A',
}));

const games = Array.from({ length: 4000 }, (_, index) => ({
  uuid: gameId(index),
  home_id: ((index * 7) % 30) + 1,
  guest_id: ((index * 11) % 30) + 1,
  status: STATUS[(index * 5) % 3] ?? 'planned',
  starts_at: timeAt((index * 211) % 4000),
  goals: (index * 13) % 9,
  fee: ((index * 19) % 400) + 1,
}));

const fines = Array.from({ length: 1800 }, (_, index) => ({
  id: 5000 + index,
  member_no: memberNo((index * 13) % 2400),
  amount: (index * 23) % 300,
  paid: index % 5 === 0,
  issued_at: timeAt(index),
  reason: REASON[index % 3] ?? 'late',
}));

const string = { type: 'string' };
const integer = { type: 'integer' };
const time = { type: 'string', format: 'date-time' };

const membersWhere = (isWanted: (row: (typeof members)[number]) => boolean): readonly string[] =>
  members.filter(isWanted).map(({ member_no }) => member_no);
const gamesWhere = (isWanted: (row: (typeof games)[number]) => boolean): readonly string[] =>
  games.filter(isWanted).map(({ uuid }) => uuid);
const finesWhere = (isWanted: (row: (typeof fines)[number]) => boolean): readonly number[] =>
  fines.filter(isWanted).map(({ id }) => id);

const inCity33 = membersWhere(({ city }) => city === 'City33');
const firstGames = games.toSorted((a, b) => (a.starts_at < b.starts_at ? -1 : 1)).map(({ uuid }) => uuid);
const mostPoints = members.toSorted((a, b) => b.points - a.points).map(({ member_no }) => member_no);

/** An API some of whose parameters lie: about another property, by a limit, by ignoring the value. */
export const CLUB: World = {
  collections: [
    {
      path: '/members',
      schema: 'Member',
      key: 'member_no',
      rows: members,
      paging: 'token',
      items: 'members',
      properties: {
        member_no: string,
        level: { type: 'string', enum: LEVEL },
        city: string,
        email: string,
        joined_on: time,
        points: integer,
        active: { type: 'boolean' },
        team_id: integer,
      },
      filters: {
        level: { property: 'level', op: 'eq' },
        city: { property: 'city', op: 'eq' },
        email: { property: 'email', op: 'eq' },
        active: { property: 'active', op: 'eq' },
        points_from: { property: 'points', op: 'ge' },
        points_to: { property: 'points', op: 'le' },
        joined_since: { property: 'joined_on', op: 'ge' },
        team_id: { property: 'team_id', op: 'eq' },
        member_nos: { property: 'member_no', op: 'in' },
      },
      lies: { email: (rows, value) => rows.filter(({ email }) => email === value.toLowerCase()) },
      sorts: {
        parameter: 'order_by',
        values: { 'points asc': ['points', 1], 'points desc': ['points', -1] },
      },
    },
    {
      path: '/teams',
      schema: 'Team',
      key: 'id',
      rows: teams,
      paging: 'page',
      items: 'teams',
      properties: { id: integer, title: string, league: string },
    },
    {
      path: '/games',
      schema: 'Game',
      key: 'uuid',
      rows: games,
      paging: 'offset',
      items: 'results',
      properties: {
        uuid: { type: 'string', format: 'uuid' },
        home_id: integer,
        guest_id: integer,
        status: { type: 'string', enum: STATUS },
        starts_at: time,
        goals: integer,
        fee: integer,
      },
      filters: {
        home_id: { property: 'home_id', op: 'eq' },
        guest_id: { property: 'guest_id', op: 'eq' },
        status: { property: 'status', op: 'eq' },
        starts_before: { property: 'starts_at', op: 'lt' },
        starts_after: { property: 'starts_at', op: 'gt' },
        min_fee: { property: 'fee', op: 'ge' },
        goals: { property: 'goals', op: 'eq' },
      },
      lies: {
        guest_id: (rows, value) => rows.filter(({ home_id }) => home_id === Number(value)),
        goals: (rows, value) => rows.filter(({ goals }) => goals === Number(value)).slice(0, 40),
        status: (rows, value) => {
          const found = rows.filter(({ status }) => status === value);
          return value === 'cancelled' ? found.slice(0, 100) : found;
        },
      },
      sorts: { parameter: 'sort', values: { starts_at: ['starts_at', 1], '-starts_at': ['starts_at', -1] } },
    },
    {
      path: '/fines',
      schema: 'Fine',
      key: 'id',
      rows: fines,
      paging: 'cursor',
      properties: {
        id: integer,
        member_no: string,
        amount: integer,
        paid: { type: 'boolean' },
        issued_at: time,
        reason: { type: 'string', enum: REASON },
      },
      filters: {
        member_no: { property: 'member_no', op: 'eq' },
        paid: { property: 'paid', op: 'eq' },
        reason: { property: 'reason', op: 'eq' },
        amount_gte: { property: 'amount', op: 'ge' },
        id: { property: 'id', op: 'in' },
      },
      lies: {
        paid: (rows, value) => rows.filter(({ paid }) => String(paid) === value).slice(0, 150),
        reason: (rows) => rows,
      },
    },
  ],
  questions: [
    question("Member?$filter=MemberNo eq 'M100777'", 1, ['M100777']),
    question(
      "Member?$filter=MemberNo in ('M100001','M100777','M101234','M102222')",
      1,
      ['M100001', 'M100777', 'M101234', 'M102222'],
      { anyOrder: true },
    ),
    question(
      "Member?$filter=Level eq 'none' and Points ge 8500",
      1,
      membersWhere(({ level, points }) => level === 'none' && points >= 8500),
    ),
    question(
      "Member?$filter=Level eq 'gold'&$top=60",
      1,
      membersWhere(({ level }) => level === 'gold').slice(0, 60),
    ),
    question("Member?$filter=City eq 'City33'", 1, inCity33),
    question("Member?$filter=City eq 'City33'&$expand=Team", 2, inCity33),
    question(
      'Member?$filter=Points ge 4000 and Points le 4200',
      1,
      membersWhere(({ points }) => points >= 4000 && points <= 4200),
    ),
    question(
      'Member?$filter=JoinedOn ge 2024-12-15T00:00:00Z',
      1,
      membersWhere(({ joined_on }) => joined_on >= '2024-12-15'),
    ),
    question('Member?$orderby=Points desc&$top=5', 1, mostPoints.slice(0, 5)),
    question("Member?$filter=Email eq 'M77@Club.org'", 24, ['M100077']),
    question('Team(7)?$expand=Members', 2, [7]),
    question(`Game?$filter=Uuid eq ${gameId(77)}`, 1, [gameId(77)]),
    question(
      'Game?$filter=HomeId eq 8 and Goals gt 6',
      2,
      gamesWhere(({ home_id, goals }) => home_id === 8 && goals > 6),
    ),
    question(
      'Game?$filter=GuestId eq 8 and Goals gt 6',
      40,
      gamesWhere(({ guest_id, goals }) => guest_id === 8 && goals > 6),
    ),
    question(
      'Game?$filter=Goals eq 3',
      40,
      gamesWhere(({ goals }) => goals === 3),
    ),
    question("Game/$count?$filter=Status eq 'played'", 1, 1333),
    question("Game/$count?$filter=Status eq 'cancelled'", 40, 1333),
    question(
      'Game?$filter=StartsAt lt 2024-06-03T00:00:00Z',
      1,
      gamesWhere(({ starts_at }) => starts_at < '2024-06-03'),
    ),
    question('Game?$orderby=StartsAt&$top=3', 1, firstGames.slice(0, 3)),
    question(
      'Game?$filter=Fee ge 396',
      1,
      gamesWhere(({ fee }) => fee >= 396),
    ),
    question('Game?$skip=2000&$top=50', 1, gamesWhere(() => true).slice(2000, 2050)),
    question(
      "Fine?$filter=MemberNo eq 'M100013'",
      1,
      finesWhere(({ member_no }) => member_no === 'M100013'),
    ),
    question(
      'Fine?$filter=Paid eq true',
      18,
      finesWhere(({ paid }) => paid),
    ),
    question(
      "Fine?$filter=Reason eq 'foul' and Amount lt 5",
      18,
      finesWhere(({ reason, amount }) => reason === 'foul' && amount < 5),
    ),
    question(
      'Fine?$filter=Amount ge 295',
      1,
      finesWhere(({ amount }) => amount >= 295),
    ),
    question('Fine?$filter=Id in (5001,5100,5900,6700)', 1, [5001, 5100, 5900, 6700], { anyOrder: true }),
    question('Fine?$filter=Amount gt 290&$top=2', 1, finesWhere(({ amount }) => amount > 290).slice(0, 2)),
  ],
};
