/** Tells the bench where the server listens, and from then on how much processor time it has used. */
export function reportTo(url: string, take: (message: object) => void = () => {}): void {
  process.on('message', (message) => {
    if (message === 'cpuTime') {
      const { user, system } = process.cpuUsage();
      process.send?.(user + system);
    } else if (typeof message === 'object' && message !== null) {
      take(message);
      process.send?.('taken');
    }
  });
  process.send?.(url);
}
