/** Has things done one after the other, in the order in which they were asked for. */
export type Mutex = <Result>(task: () => Promise<Result>) => Promise<Result>;

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const done = last.then(task);
    last = done.catch(() => undefined);
    return done;
  };
}
