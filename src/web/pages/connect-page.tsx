import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { ConnectPanel } from '../connect/connect-panel.tsx';
import { landingQuery, type ServedEntitySet } from '../service/landing.ts';
import { Page, ParentLink } from '../shell/page.tsx';
import { Withheld } from '../state/failure.tsx';
import { Loaded } from '../state/loaded.tsx';
import { LoadingFields } from '../state/loading.tsx';

/** Explains how programs read an entity set. */
export function ConnectPage() {
  const { name = '' } = useParams();
  const landing = useQuery(landingQuery);
  return (
    <Page title={`Connect ${name}`} above={<ParentLink to="/">Overview</ParentLink>}>
      <Loaded query={landing} what="overview of the service" pending={<LoadingFields count={3} />}>
        {({ entitySets }) => <Connect name={name} served={entitySets} />}
      </Loaded>
    </Page>
  );
}

interface ConnectProps {
  readonly name: string;
  readonly served: readonly ServedEntitySet[];
}

function Connect({ name, served }: ConnectProps) {
  const connection = served.find((set) => set.name === name)?.connection;
  if (connection !== undefined) return <ConnectPanel key={name} entitySet={name} connection={connection} />;
  return (
    <Withheld title={`${name} cannot be read by a program`}>
      It does not exist, it has no list, or your role has no access to it.
    </Withheld>
  );
}
