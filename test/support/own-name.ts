let names = 0;

/** A name that nothing else has: a test that is tried again meets nothing that its first try has left. */
export function ownName(name: string): string {
  names += 1;
  return `${name}${names}`;
}

export function ownAddress(name: string): string {
  return `${ownName(name)}@example.com`;
}
