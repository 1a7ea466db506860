/** Descriptors for what is no client's connection: calls of APIs, the database, documents, the log. */
const SHARE_OF_OWN = 0.25;
const LEAST_OF_OWN = 64;

/**
 * How many clients may be connected, of so many that are allowed: the system has a bound on open files (`ulimit -n`), and
 * clients who took all of them would leave none to ask an API with.
 */
export function connectionsWithin(allowed: number): number {
  const files = mostOpenFiles();
  const own = Math.max(LEAST_OF_OWN, files * SHARE_OF_OWN);
  return Math.max(1, Math.min(allowed, Math.floor(files - own)));
}

let found: number | undefined;

/** Infinite where there is no bound, or where the system does not say. It is the same as long as the process runs. */
function mostOpenFiles(): number {
  found ??= readMostOpenFiles();
  return found;
}

function readMostOpenFiles(): number {
  const { report } = process;
  // Nobody looks up the names of all that is connected. Node's types do not know the member yet.
  Reflect.set(report, 'excludeNetwork', true);
  const { userLimits } = report.getReport() as { readonly userLimits?: Limits };
  const soft = Number(userLimits?.open_files?.soft);
  return Number.isFinite(soft) ? soft : Number.POSITIVE_INFINITY;
}

interface Limits {
  readonly open_files?: { readonly soft: number | string };
}
