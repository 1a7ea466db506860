import { parentPort } from 'node:worker_threads';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary as everywhere } from '@zxcvbn-ts/language-common';
import { dictionary as english } from '@zxcvbn-ts/language-en';
import type { Judgement, JudgeOrder } from './password-judge.ts';

/** The score, of zxcvbn's 0 to 4, of passwords that take at least a hundred million guesses. */
const HARD_TO_GUESS = 3;

const judge = new ZxcvbnFactory({ dictionary: { ...everywhere, ...english }, graphs: adjacencyGraphs });

parentPort?.on('message', ({ password, words }: JudgeOrder) => {
  const { score } = judge.check(password, [...words]);
  report({ kind: 'judged', isHardToGuess: score >= HARD_TO_GUESS });
});

report({ kind: 'ready' });

function report(judgement: Judgement): void {
  parentPort?.postMessage(judgement);
}
