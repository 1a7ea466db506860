/** A mistake on the command line that is told together with the usage. */
export class UsageError extends Error {}

/** Throws where an overlay is given for more than one file. */
export function assertOverlayForOneFile(overlay: string | undefined, files: readonly string[]): void {
  if (overlay !== undefined && files.length !== 1) throw new UsageError('--overlay needs exactly one FILE.');
}
