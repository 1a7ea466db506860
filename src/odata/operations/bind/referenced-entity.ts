import type { BudgetedRequest } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import { wrongLink } from '../../../engine/change/bound-input.ts';
import type { WrittenLink } from '../../../engine/input/entity-input.ts';
import type { EntityResource } from '../../../engine/resource/resource.ts';
import { type EntityType, isA } from '../../../model/edm.ts';
import { parseRequestTarget } from '../../url/request-target.ts';
import { nearResource } from '../service/resolution-error.ts';
import type { Service } from '../service/service.ts';
import { bindResource } from './bind-resource.ts';

type Site = Pick<Service, 'model' | 'root' | 'limits'>;

/** The request that links to an entity. */
interface LinkSite {
  readonly service: Service;
  readonly request: Pick<BudgetedRequest, 'principal' | 'target'>;
}

/**
 * Resolves the URL of an entity in a request: absolute, or relative to the host, to the service root or, with
 * leading dots, to the request's own URL `from` (Part 2, 4.4; JSON Format, 4.3 and 4.5.8). Throws BadRequest
 * for other URLs.
 */
export function referencedEntity(
  service: Site,
  { url, target }: WrittenLink,
  from: BudgetedRequest['target'] = '/',
): EntityResource {
  const within = targetOf(service.root, DOTS.test(url) ? resolved(service.root, from, url) : url);
  if (ELSEWHERE.test(within)) throw wrongLink(target, 'the entity-id of an entity of this service', url);
  const { path, options } = parseRequestTarget(within, service.limits.url);
  if (path.kind !== 'resource' || url.includes('?')) {
    throw wrongLink(target, 'the entity-id of an entity of this service', url);
  }
  const resource = bindResource(service, path, options);
  if (resource.kind !== 'entity') throw wrongLink(target, 'the entity-id of a single entity', url);
  return resource;
}

/** The entity to link to; throws BadRequest if it has another type. */
export function linkedEntity(site: LinkSite, written: WrittenLink, type: EntityType): EntityResource {
  const entity = findLinked(site, written);
  const found = entity.type;
  if (!isA(found, type)) {
    throw wrongLink(
      written.target,
      `the entity-id of an entity of type ${type.namespace}.${type.name}`,
      written.url,
    );
  }
  return entity;
}

/** The statuses of an invalid URL: malformed, unknown or too long. */
const WRONG_URL: ReadonlySet<number> = new Set([400, 404, 414]);

/** Converts errors of a URL in the body to BadRequest, because the request's own URL is valid. */
function findLinked({ service, request }: LinkSite, written: WrittenLink): EntityResource {
  try {
    return referencedEntity(service, written, request.target);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.target === written.target) throw error;
    if (!WRONG_URL.has(error.status)) throw error;
    const [, name = ''] = /^\/([^/(?]*)/.exec(targetOf(service.root, written.url)) ?? [];
    const near = nearResource(service.visibleTo(request.principal), name);
    throw wrongLink(written.target, 'the entity-id of an entity of this service', written.url, near);
  }
}

/** URLs outside of the service root, on this or another host. */
const ELSEWHERE = /^\/(?:[a-z][a-z\d+.-]*:\/)?\//i;

const DOTS = /^\.\.?\//;

/** RFC 3986, 5.2: the resolved path. */
function resolved(root: string, from: string, url: string): string {
  const { pathname, search } = new URL(url, root + from);
  return pathname + search;
}

/** The URL relative to the service root; an invalid path for other URLs. */
function targetOf(root: string, url: string): string {
  const path = new URL(root).pathname.replace(/\/$/, '');
  const prefix = [`${root}/`, ...(path === '' ? [] : [`${path}/`])].find((each) => url.startsWith(each));
  return `/${url.slice(prefix?.length ?? 0)}`;
}
