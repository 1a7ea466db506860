import { isObject } from '../../core/json-object.ts';
import { isAboutAnswer, isHolder, LIST_NAMES } from '../../model/answer-words.ts';
import { foldedName } from '../../model/names.ts';
import type { AnswerPath } from '../../model/operation.ts';

/** The path of the list in an answer of which the document says nothing; empty for a list, and if the answer has none. */
export function listPathIn(answer: unknown): AnswerPath {
  return listBelow(answer, 0) ?? [];
}

/** Lists are looked for in objects within this number of others. */
const DEEPEST = 2;

function listBelow(holder: unknown, depth: number): AnswerPath | undefined {
  if (Array.isArray(holder)) return [];
  if (!isObject(holder) || depth > DEEPEST) return undefined;
  const members = Object.entries(holder);
  const lists = members.filter(([, value]) => Array.isArray(value)).map(([name]) => name);
  const named = LIST_NAMES.find((wanted) => lists.some((name) => foldedName(name) === wanted));
  const [only, ...others] = lists.filter((name) => !isAboutAnswer(foldedName(name)));
  const found = lists.find((name) => foldedName(name) === named) ?? (others.length === 0 ? only : undefined);
  if (found !== undefined) return [found];
  for (const [name, value] of members) {
    const below = isHolder(name) ? listBelow(value, depth + 1) : undefined;
    if (below !== undefined) return [name, ...below];
  }
  return undefined;
}

/** The path of the entity in such an answer: that of an object with nothing beside it but what is said of the answer. */
export function entityPathIn(answer: unknown): AnswerPath {
  if (!isObject(answer)) return [];
  const held = Object.entries(answer).filter(([, value]) => isObject(value));
  const [name, value] = held.find(([each]) => isHolder(each)) ?? (held.length === 1 ? held[0] : []) ?? [];
  if (name === undefined) return [];
  const isEnvelope = Object.keys(answer).every((other) => other === name || isAboutAnswer(foldedName(other)));
  return isEnvelope ? [name, ...entityPathIn(value)] : [];
}
