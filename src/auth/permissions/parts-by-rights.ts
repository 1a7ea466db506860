import { LRUCache } from 'lru-cache';
import type { Principal } from '../../contract/principal.ts';
import type { DescribedModel } from '../../model/description.ts';
import { linkModel } from '../../model/link-model.ts';
import type { Model } from '../../model/model.ts';
import { grantedRoles, resourceGrants } from '../../model/resource-grants.ts';
import { type May, mayOf } from './may.ts';

/** Operators make roles. */
const MOST_OF_ROLES = 100;
/** Every user makes scopes: theirs take no room from those of roles, and little at all. */
const MOST_OF_SCOPES = 20;

/**
 * The part of a model that is for a principal: all of it where there is no access control. One is made for each set of
 * roles that the grants tell apart, and for each scope of such a set; the last ones that were asked for are kept.
 */
export function partsByRights(
  model: Model,
  make: (may: May, principal: Principal) => DescribedModel,
): (principal: Principal) => Model {
  const resources = resourceGrants(model);
  const known = grantedRoles(model);
  const ofRoles = new LRUCache<string, Model>({ max: MOST_OF_ROLES });
  const ofScopes = new LRUCache<string, Model>({ max: MOST_OF_SCOPES });
  return (principal) => {
    if (principal.kind === 'unrestricted') return model;
    const { roles, scope } = rightsOf(principal);
    const parts = scope === undefined ? ofRoles : ofScopes;
    const key = JSON.stringify([known.filter((role) => roles.includes(role)), scope]);
    const part = parts.get(key) ?? linkedPart(model, make(mayOf(resources, principal), principal));
    parts.set(key, part);
    return part;
  };
}

/** The model itself where the part is all of it. */
function linkedPart(model: Model, part: DescribedModel): Model {
  return part === model.description ? model : linkModel(part);
}

interface Rights {
  readonly roles: readonly string[];
  readonly scope: string | undefined;
}

function rightsOf(principal: Principal): Rights {
  if (principal.kind !== 'user') return { roles: [], scope: undefined };
  const { roles, scoped } = principal;
  return scoped === undefined
    ? { roles, scope: undefined }
    : { roles: scoped.roles, scope: scoped.scope.text };
}
