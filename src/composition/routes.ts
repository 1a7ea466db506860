import { permissionsOf } from '../auth/permissions/grants.ts';
import { guardSource } from '../auth/permissions/guarded-source.ts';
import { readOnlyModel, readOnlySource } from '../auth/permissions/read-only.ts';
import { readableModels } from '../auth/permissions/readable-model.ts';
import { visibleModels } from '../auth/permissions/visible-model.ts';
import type { Config } from '../config/config.ts';
import type { EntitySource } from '../contract/entity-source.ts';
import type { Log } from '../contract/log.ts';
import type { ReadCounts } from '../contract/read-counts.ts';
import { isPersonal } from '../contract/source-credential.ts';
import { createGraphQLEndpoint, writeGraphQLError } from '../graphql/endpoint.ts';
import type { GatewayMesh } from '../mesh/mesh.ts';
import {
  createODataEndpoint,
  type DeferredAnswers,
  LONG_QUERIES,
  writeODataError,
} from '../odata/endpoint.ts';
import { createVocabularies } from '../odata/vocabularies.ts';
import type { ServedPlan } from '../project/plan/plan.ts';
import type { Route } from '../server/route.ts';
import { createEntitySource } from '../source/entity-source.ts';
import { noteChanges } from '../source/note-changes.ts';
import { ParameterProofs } from '../source/proofs/parameter-proofs.ts';
import { RelationProofs } from '../source/proofs/relation-proofs.ts';
import { type FollowedProofs, proofIdentities } from './followed-proofs.ts';
import type { MeshService } from './mesh-service.ts';

/** Dependencies that do not change with the project. */
export interface RoutesDependencies {
  readonly config: Config;
  readonly log: Log;
  readonly reads: ReadCounts;
  readonly baseUrl: string;
  readonly deferred: DeferredAnswers;
  readonly gateRoutes: readonly Route[];
  readonly proofs: FollowedProofs;
}

export interface Serving {
  readonly routes: readonly Route[];
  /** Resolves when no work is left; cancels it after `grace` milliseconds. */
  finish(grace: number): Promise<void>;
}

/** OData and GraphQL on one service, with their access control. */
export function createRoutes(
  { config, baseUrl, deferred, gateRoutes, log, reads, proofs }: RoutesDependencies,
  { plan, mesh }: MeshService,
): Serving {
  const { limits } = config;
  const { model } = plan;
  const permissions = permissionsOf(model);
  const guard = (source: EntitySource): EntitySource => {
    const guarded = guardSource(source, permissions, model);
    return config.readOnly ? readOnlySource(guarded) : guarded;
  };
  const vocabularies = `${baseUrl}/odata/$vocabularies`;
  const trust =
    limits.pushDown === 'derived' ? parameterProofs(mesh, plan, { log, counts: reads }) : undefined;
  const source = createEntitySource({ mesh, model, pages: config.limits.pages, counts: reads });
  const relations = new RelationProofs(credentialsOf(mesh, plan));
  proofs.serve(trust && { proofs: trust, source, model }, {
    proofs: relations,
    source,
    model,
    relations: plan.relations,
  });
  const served = {
    model,
    visibleTo: visibleModels(config.readOnly ? readOnlyModel(model) : model),
    readableTo: readableModels(model),
    source: guard(noteChanges(source, trust)),
    trust,
    root: `${baseUrl}/odata`,
    signingKey: config.auth.mode === 'required' ? config.auth.secret : undefined,
    limits: limits.requests,
    answerMemoryBytes: limits.memoryBytes,
    log,
  };
  const odata = createODataEndpoint({
    ...served,
    guard,
    credentialParameter: config.apiKeyParameter,
    deferred,
    vocabularies: config.vocabularies === 'served' ? vocabularies : undefined,
  });
  const routes = [
    ...gateRoutes,
    {
      path: '/odata/$vocabularies',
      handler: createVocabularies(vocabularies),
      open: true,
      errorResponse: writeODataError,
      crossOrigin: true,
    },
    {
      path: '/odata',
      handler: odata,
      takesUpload: odata.takesUpload,
      maxUploadBytes: limits.uploadBytes,
      uploadVariable: 'UPLOAD_MIB',
      longRequests: LONG_QUERIES,
      errorResponse: writeODataError,
      crossOrigin: true,
      maxBodyBytes: limits.requestBodyBytes,
      bodyVariable: 'REQUEST_BODY_KIB',
    },
    {
      path: '/graphql',
      handler: createGraphQLEndpoint({
        ...served,
        documents: config.graphqlDocuments,
        ids: config.graphqlIds,
        form: { numbers: config.graphqlNumbers, federation: config.federation },
      }),
      errorResponse: writeGraphQLError,
      crossOrigin: true,
      maxBodyBytes: limits.requests.graphql.bodyBytes,
      bodyVariable: 'GRAPHQL_BODY_KIB',
    },
  ];
  return { routes: routes, finish: odata.finish };
}

/** Proofs end with the service: another document, or another address, has to show anew what its parameters do. */
function parameterProofs(
  mesh: GatewayMesh,
  plan: ServedPlan,
  notes: { readonly log: Log; readonly counts: ReadCounts },
): ParameterProofs {
  return new ParameterProofs({ model: plan.model, ...credentialsOf(mesh, plan), ...notes });
}

/** The identities of the credentials of sources, and which of them are users' own. */
function credentialsOf(mesh: GatewayMesh, plan: ServedPlan) {
  return {
    isPersonal: (name: string) => isPersonal(mesh.upstreamOf(name)?.source.access?.credential),
    identityOf: proofIdentities(mesh, plan),
  };
}
