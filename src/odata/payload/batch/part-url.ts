import { quote } from '../../../engine/input/mistakes.ts';
import { type BatchRequest, malformedBatch } from './batch-request.ts';

/** Where the service is, as clients know it. */
export interface ServicePlace {
  /** Its public URL, without a slash at the end. */
  readonly root: string;
  /** The host that the batch was sent to, which may be another name of the same. */
  readonly host: string | undefined;
}

const ABSOLUTE = /^(?:https?:)?\/\/([^/?#]*)(.*)$/is;

/**
 * The target of a part below the service root, from a URL that is absolute, or relative to the host or to the
 * service: all of them are to work (Part 1, 11.7.7.1). A URL of another service is malformed.
 */
export function partTarget(
  { url, place }: Pick<BatchRequest, 'url' | 'place'>,
  service: ServicePlace,
): string {
  // Some clients put a slash in front of references.
  if (url.startsWith('/$')) return url;
  const root = new URL(service.root);
  const [, authority, rest = ''] = ABSOLUTE.exec(url) ?? [];
  if (authority === undefined) {
    return url.startsWith('/') ? below(root.pathname, url, place) : relativeTarget(root, url);
  }
  const hosts = [root.host, service.host?.toLowerCase()];
  if (!hosts.includes(authority.toLowerCase()))
    throw malformedBatch(place, 'a URL of this service', quote(url));
  return below(root.pathname, rest, place);
}

/** Some clients leave out the slash in front of a path that starts at the host. */
function relativeTarget({ pathname }: URL, url: string): string {
  const path = `/${url.replace(/^\.\//, '')}`;
  return isBelow(pathname, path) ? path.slice(pathname.length) : path;
}

function below(mount: string, path: string, place: string): string {
  const base = mount === '/' ? '' : mount;
  if (!isBelow(base, path)) throw malformedBatch(place, `a URL below ${quote(mount)}`, quote(path));
  return path.slice(base.length);
}

function isBelow(mount: string, path: string): boolean {
  return path.startsWith(mount) && /^(?:[/?]|$)/.test(path.slice(mount.length));
}
