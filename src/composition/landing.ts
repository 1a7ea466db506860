import { permissionsOf } from '../auth/permissions.ts';
import { describeService } from '../odata/service-overview.ts';
import type { ServedPlan } from '../project/plan.ts';
import { listServedApis } from '../registry/served-apis.ts';
import type { LandingOf, Link } from '../server/landing.ts';

/** Links are relative to the page: the public URL may have a path. */
export function landingOf(plan: ServedPlan): LandingOf {
  const { model } = plan;
  const permissions = permissionsOf(model);
  return (principal) => ({
    title: 'Duogate',
    description: 'REST APIs as OData 4.01 and as GraphQL.',
    access: principal.kind,
    links: LINKS,
    apis: listServedApis(plan.documents, principal),
    ...describeService(model, permissions, principal),
  });
}

const LINKS: readonly Link[] = [
  { title: 'OData service', href: 'odata', description: 'What the service offers' },
  { title: 'Metadata', href: 'odata/$metadata', description: 'The entity data model as CSDL' },
  { title: 'GraphQL', href: 'graphql', description: 'In a browser: GraphiQL' },
  { title: 'Web screens', href: 'app', description: 'Lists and forms on the data' },
  { title: 'Health', href: 'health/ready', description: 'Whether the service wants requests' },
];
