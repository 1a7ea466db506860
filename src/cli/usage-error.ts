/** A mistake on the command line, printed with the usage. */
export class UsageError extends Error {}

/** Throws if an overlay is given with more than one file. */
export function assertOverlayForOneFile(overlay: string | undefined, files: readonly string[]): void {
  if (overlay !== undefined && files.length !== 1) throw new UsageError('--overlay needs exactly one FILE.');
}
