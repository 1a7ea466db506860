import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { entitySetOf, SCREENS_IN_NAVIGATION } from '../screens/screen-target.ts';
import { standardPath } from '../screens/standard-screens.ts';
import { connectAddress, SIGN_IN, screenAddress } from '../service/addresses.ts';
import { gatewayUrl } from '../service/base.ts';
import { type Landing, landingQuery, type ServedEntitySet } from '../service/landing.ts';
import { useSession } from '../service/session.ts';
import { Page } from '../shell/page.tsx';
import { Failure } from '../state/failure.tsx';
import { LoadingRows } from '../state/loading.tsx';
import { LandingApis } from './landing-apis.tsx';
import { LandingConnect } from './landing-connect.tsx';
import { QueryRunner } from './query-runner.tsx';

/** What is served for the user. */
export function LandingPage() {
  const landing = useQuery(landingQuery);
  return (
    <Page title={landing.data?.title ?? 'Duogate'}>
      {landing.isPending && <LoadingRows />}
      {landing.isError && (
        <Failure error={landing.error} retry={() => landing.refetch()} what="overview of the service" />
      )}
      {landing.data !== undefined && <Overview landing={landing.data} />}
    </Page>
  );
}

function Overview({ landing }: { readonly landing: Landing }) {
  return (
    <>
      <p className="lead">{landing.description}</p>
      <section aria-labelledby="entity-sets">
        <h2 id="entity-sets">Entity sets</h2>
        {landing.entitySets.length === 0 ? <NoEntitySets /> : <EntitySets served={landing.entitySets} />}
      </section>
      {landing.queries.length > 0 && (
        <section aria-labelledby="queries">
          <h2 id="queries">Try a query</h2>
          <QueryRunner queries={landing.queries} />
        </section>
      )}
      <LandingConnect entitySets={landing.entitySets} />
      {landing.apis.length > 0 && <LandingApis apis={landing.apis} />}
      <section aria-labelledby="addresses">
        <h2 id="addresses">Addresses</h2>
        <ul className="tiles">
          {landing.links.map(({ title, href, description }) => (
            <li key={href}>
              <a href={gatewayUrl(href)} className="tile">
                <span className="tile-title">{title}</span>
                <code className="tile-address">/{href}</code>
                {description !== undefined && <span className="tile-text">{description}</span>}
              </a>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

function NoEntitySets() {
  const { data: session } = useSession();
  return session?.kind === 'anonymous' ? (
    <p className="notice">
      <Link to={SIGN_IN}>Sign in</Link> to see what you may use.
    </p>
  ) : (
    <p className="notice">Your role has no access to any of them.</p>
  );
}

function EntitySets({ served }: { readonly served: readonly ServedEntitySet[] }) {
  return (
    <ul className="sets card">
      {served.map((entitySet) => (
        <li key={entitySet.name} className="set">
          <div className="set-name">
            <a href={gatewayUrl(entitySet.href)}>{entitySet.name}</a>
            {entitySet.description !== undefined && <p>{entitySet.description}</p>}
          </div>
          <ul className="marks" aria-label={`Permissions on ${entitySet.name}`}>
            {entitySet.permissions.map((permission) => (
              <li key={permission} className={`mark ${permission.toLowerCase()}`}>
                {permission}
              </li>
            ))}
          </ul>
          {entitySet.connection !== undefined && (
            <Link
              to={connectAddress(entitySet.name)}
              className="button"
              aria-label={`Connect ${entitySet.name}`}
            >
              Connect
            </Link>
          )}
          {entitySet.permissions.includes('View') && <ScreenLink entitySet={entitySet.name} />}
        </li>
      ))}
    </ul>
  );
}

/** The screen that has been configured for the entity set, or the standard one. */
function ScreenLink({ entitySet }: { readonly entitySet: string }) {
  const configured = SCREENS_IN_NAVIGATION.find((screen) => entitySetOf(screen) === entitySet);
  const { path, title } = configured ?? { path: standardPath(entitySet), title: entitySet };
  return (
    <Link to={screenAddress(path)} className="button">
      Open {title}
    </Link>
  );
}
