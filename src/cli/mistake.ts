/** A mistake on the command line that is told together with the usage. */
export class Mistake extends Error {}

/** What every command takes. */
export const HELP = { type: 'boolean', short: 'h' } as const;
