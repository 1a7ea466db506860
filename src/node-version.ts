import nodeModule from 'node:module';

/** Passwords are hashed by Node's own argon2id, which came with this version. */
const LEAST = { major: 24, minor: 7 };

/**
 * Hands over what is to be said where this Node is older than the gateway needs. It is to be called before anything
 * else is loaded: what an older one lacks would else be told as a fault of ours.
 */
export function assertNode(refuse: (message: string) => never): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > LEAST.major || (major === LEAST.major && minor >= LEAST.minor)) return;
  refuse(`Duogate needs Node ${LEAST.major}.${LEAST.minor} or later; this is Node ${process.versions.node}.`);
}

/** Ends the process with that. */
export function exitWith(message: string): never {
  console.error(message);
  process.exit(1);
}

/** Has what a start has compiled found compiled by the next one. */
export function enableCompileCache(): void {
  nodeModule.enableCompileCache?.();
}
