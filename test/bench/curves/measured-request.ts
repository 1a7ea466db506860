import { measureInTurns, type Turns } from '../in-turns.ts';
import { type Load, measure, type Round, type Subject } from '../measure.ts';
import type { MeteredServer } from '../metered-server.ts';
import type { Series } from './curve.ts';

/** A series of what a server does with a load, which may be another at each point. */
export interface MeasuredRequest<Name extends string> extends Series {
  readonly server: Name;
  readonly load: (point: number) => Load;
}

export function subjectsAt<Name extends string>(
  point: number,
  requests: readonly MeasuredRequest<Name>[],
  servers: Readonly<Record<Name, MeteredServer>>,
): readonly Subject[] {
  return requests.map(({ server, load }) => ({ server: servers[server], load: load(point) }));
}

/** Milliseconds for an answer of each, one after the other. */
export async function timesOf(subjects: readonly Subject[], turns: Turns): Promise<readonly number[]> {
  return (await measureInTurns(subjects, turns)).map(({ perSecond }) => 1_000 / perSecond);
}

const ROUNDS = 3;

/** The best round of each, in turn: what a server can do when it is warm and nothing disturbs it. */
export async function bestRoundsOf(
  subjects: readonly Subject[],
  connections: number,
): Promise<readonly Round[]> {
  const rounds: Round[][] = subjects.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, subject] of subjects.entries())
      rounds[index]?.push(await measure(subject, connections));
  }
  return rounds.map((all) => all.reduce((one, other) => (one.perSecond >= other.perSecond ? one : other)));
}

export function graphql(query: string): Load {
  return { path: '/graphql', body: JSON.stringify({ query }) };
}
