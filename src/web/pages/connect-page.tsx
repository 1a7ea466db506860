import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { ConnectPanel } from '../connect/connect-panel.tsx';
import { landingQuery } from '../service/landing.ts';
import { Page } from '../shell/page.tsx';
import { Failure, Withheld } from '../state/failure.tsx';
import { LoadingFields } from '../state/loading.tsx';

/** How programs read an entity set. */
export function ConnectPage() {
  const { name = '' } = useParams();
  const landing = useQuery(landingQuery);
  const connection = landing.data?.entitySets.find((set) => set.name === name)?.connection;
  return (
    <Page title={`Connect ${name}`} above={<HomeLink />}>
      {landing.isPending && <LoadingFields count={3} />}
      {landing.isError && (
        <Failure error={landing.error} retry={() => landing.refetch()} what="overview of the service" />
      )}
      {landing.isSuccess &&
        (connection === undefined ? (
          <Withheld title={`${name} cannot be read by a program`}>
            It does not exist, it has no list, or your role has no access to it.
          </Withheld>
        ) : (
          <ConnectPanel key={name} entitySet={name} connection={connection} />
        ))}
    </Page>
  );
}

function HomeLink() {
  return (
    <nav className="parent" aria-label="Breadcrumb">
      <Link to="/" className="parent-link">
        Overview
      </Link>
    </nav>
  );
}
