import nodeModule from 'node:module';

/** The first version with argon2id, which hashes passwords. */
const LEAST = { major: 24, minor: 7 };

/**
 * Reports a Node version that is too old. Called before other modules are loaded, which would otherwise fail
 * with an unrelated error.
 */
export function assertNode(refuse: (message: string) => never): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > LEAST.major || (major === LEAST.major && minor >= LEAST.minor)) return;
  refuse(`Duogate needs Node ${LEAST.major}.${LEAST.minor} or later; this is Node ${process.versions.node}.`);
}

export function exitWith(message: string): never {
  console.error(message);
  process.exit(1);
}

/** Stores compiled code for the next start. */
export function enableCompileCache(): void {
  nodeModule.enableCompileCache?.();
}
