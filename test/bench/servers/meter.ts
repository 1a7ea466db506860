/** Sends the server's URL to the bench, and afterwards its processor time on request. */
export function reportTo(url: string, take: (message: object) => void = () => {}): void {
  const holds = watchLoop();
  process.on('message', (message) => {
    if (message === 'cpuTime') {
      const { user, system } = process.cpuUsage();
      process.send?.(user + system);
    } else if (message === 'longestHold') {
      process.send?.(holds.takeLongest());
    } else if (message === 'memory') {
      process.send?.(process.memoryUsage().rss);
    } else if (typeof message === 'object' && message !== null) {
      take(message);
      process.send?.('taken');
    }
  });
  process.send?.(url);
}

/**
 * The longest time that the event loop was held since it was asked for last, in milliseconds of the thread's own
 * processor time: what else the machine does is not counted. The watch begins when it is asked for the first time.
 */
function watchLoop(): { takeLongest(): number } {
  let longest = 0;
  let before: number | undefined;
  const look = (): void => {
    const { user, system } = process.threadCpuUsage();
    const now = (user + system) / 1000;
    longest = Math.max(longest, now - (before ?? now));
    before = now;
  };
  return {
    takeLongest() {
      if (before === undefined) setInterval(look, 1);
      look();
      const taken = longest;
      longest = 0;
      return taken;
    },
  };
}
