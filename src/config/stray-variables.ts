import type { Environment } from './config.ts';
import { SETTINGS } from './settings.ts';

/** A variable that is set but not read, and the setting with the nearest name. */
interface StrayVariable {
  readonly name: string;
  readonly nearest: string | undefined;
}

/** The variables with a name that resembles a setting's or begins with the gateway's: probably misspelled. */
export function strayVariables(environment: Environment): readonly StrayVariable[] {
  return Object.keys(environment)
    .filter((name) => /^[A-Z][A-Z\d_]*$/.test(name) && !(name in SETTINGS))
    .flatMap((name) => {
      const meant = name.replace(PREFIX, '');
      const nearest = nearestOf(meant);
      return nearest === undefined && meant === name ? [] : [{ name, nearest }];
    });
}

const PREFIX = /^DUOGATE_/;

/** The setting with a similar name, relative to its length: `HOME` does not resemble `HOST`. */
function nearestOf(name: string): string | undefined {
  let nearest: string | undefined;
  let least = Math.min(3, Math.floor(name.length / 4)) + 1;
  for (const each of Object.keys(SETTINGS)) {
    const distance = editDistance(name, each, least);
    if (distance < least) [nearest, least] = [each, distance];
  }
  return nearest;
}

/** The Levenshtein distance; inexact from `most` on. */
function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) >= most) return most;
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, opposite] of [...other].entries()) {
      const [left = 0, above = 0, diagonal = 0] = [next[column], row[column + 1], row[column]];
      next.push(Math.min(left + 1, above + 1, diagonal + (character === opposite ? 0 : 1)));
    }
    if (Math.min(...next) >= most) return most;
    row = next;
  }
  return row.at(-1) ?? most;
}
