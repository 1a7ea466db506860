/** The share of file descriptors for upstream calls, the database, documents and the log. */
const SHARE_OF_OWN = 0.25;
const LEAST_OF_OWN = 64;

/**
 * Maximum number of client connections: the allowed number, reduced if the limit on open files (`ulimit -n`)
 * would leave no descriptors for upstream calls.
 */
export function connectionsWithin(allowed: number): number {
  const files = mostOpenFiles();
  const own = Math.max(LEAST_OF_OWN, files * SHARE_OF_OWN);
  return Math.max(1, Math.min(allowed, Math.floor(files - own)));
}

let found: number | undefined;

/** Infinite if the system has no limit or does not report it. Constant for the process. */
function mostOpenFiles(): number {
  found ??= readMostOpenFiles();
  return found;
}

function readMostOpenFiles(): number {
  const { report } = process;
  // Skips DNS look-ups of all connections. Node's types lack the member.
  Reflect.set(report, 'excludeNetwork', true);
  const { userLimits } = report.getReport() as { readonly userLimits?: Limits };
  const soft = Number(userLimits?.open_files?.soft);
  return Number.isFinite(soft) ? soft : Number.POSITIVE_INFINITY;
}

interface Limits {
  readonly open_files?: { readonly soft: number | string };
}
