import type { ServerResponse } from 'node:http';

const TASKS: unique symbol = Symbol('duogate.atClose');

interface Closing {
  [TASKS]?: (() => void)[];
}

/**
 * Has something done when an answer is finished or its client is gone, in the order in which it was asked for.
 *
 * All of a response's tasks share one listener: nearly everything that counts a request has one, and a listener that
 * is added and removed costs more than what most of them do.
 */
export function atClose(response: ServerResponse & Closing, task: () => void): void {
  const known = response[TASKS];
  if (known !== undefined) {
    known.push(task);
    return;
  }
  const tasks = [task];
  response[TASKS] = tasks;
  response.on('close', () => {
    for (const each of tasks) each();
  });
}
