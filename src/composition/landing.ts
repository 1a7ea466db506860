import { permissionsOf } from '../auth/permissions/permissions.ts';
import { visibleModels } from '../auth/permissions/visible-model.ts';
import type { Config } from '../config/config.ts';
import { type Connection, connectionsOf } from '../graphql/connections.ts';
import { type SampleQuery, sampleQueries } from '../graphql/sample-queries.ts';
import { describeService } from '../odata/service-overview.ts';
import type { ServedPlan } from '../project/plan/plan.ts';
import { listServedApis } from '../registry/served-apis.ts';
import type { LandingOf, Link, ServedEntitySet } from '../server/landing.ts';

/** Links are relative to the page: the public URL may have a path. */
export function landingOf(
  plan: ServedPlan,
  { auth, issuers, mail }: Pick<Config, 'auth' | 'issuers' | 'mail'>,
): LandingOf {
  const { model } = plan;
  const isLimited = auth.mode === 'required' && auth.signUp !== 'open';
  const byIssuers = auth.mode === 'required' ? issuers.flatMap(({ client }) => client ?? []) : [];
  const permissions = permissionsOf(model);
  const visibleTo = visibleModels(model);
  const samples = sampleQueries(model);
  const connections = connectionsOf(samples);
  return (principal) => {
    const { entitySets, queries } = describeService(model, permissions, principal);
    const visible = visibleTo(principal);
    const connectionTo = connections(visible);
    return {
      title: 'Duogate',
      description: 'REST APIs as OData 4.01 and as GraphQL.',
      access: principal.kind,
      ...(isLimited && { signUp: auth.signUp }),
      ...(auth.mode === 'required' && !auth.passwords && { passwords: 'off' as const }),
      ...(auth.mode === 'required' && mail !== undefined && { mail: true as const }),
      ...(byIssuers.length > 0 && { issuers: byIssuers.map(({ name, path }) => ({ name, path })) }),
      links: LINKS,
      apis: listServedApis(plan.documents, principal),
      entitySets: entitySets.map((set) => withConnection(set, connectionTo.get(set.name))),
      queries: [...queries, ...samples(visible).map(linkOf)],
    };
  };
}

function linkOf({ title, query }: SampleQuery): Link {
  return {
    title: `GraphQL: ${title.charAt(0).toLowerCase()}${title.slice(1)}`,
    href: `graphql?query=${encodeURIComponent(query)}`,
  };
}

function withConnection(set: ServedEntitySet, connection: Connection | undefined): ServedEntitySet {
  return connection === undefined ? set : { ...set, connection };
}

const LINKS: readonly Link[] = [
  { title: 'OData service', href: 'odata', description: 'What the service offers' },
  { title: 'Metadata', href: 'odata/$metadata', description: 'The entity data model as CSDL' },
  { title: 'GraphQL', href: 'graphql', description: 'In a browser: GraphiQL' },
  { title: 'Web screens', href: 'app', description: 'Lists and forms on the data' },
  { title: 'Documentation', href: 'docs/', description: 'How to connect, model and run' },
  { title: 'Health', href: 'health/ready', description: 'Readiness' },
];
