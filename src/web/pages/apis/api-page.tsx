import { lazy, Suspense } from 'react';
import { NavLink, useParams } from 'react-router';
import { APIS, apiAddress } from '../../service/addresses.ts';
import type { Api } from '../../service/registry.ts';
import { Page } from '../../shell/page.tsx';
import { Failure } from '../../state/failure.tsx';
import { LoadingFields } from '../../state/loading.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { AccessTab } from './access/access-tab.tsx';
import { ApiActions } from './api-actions.tsx';
import { StateMark } from './api-state.tsx';
import { HistoryTab } from './history-tab.tsx';
import { OperationsTab } from './operations-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { ParentLink } from './parent-link.tsx';
import { ReadOnlyReason } from './read-only-reason.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { useApi, useRegistry } from './use-api.ts';

const ConsoleTab = lazy(() => import('./console/console-tab.tsx'));

interface Tab {
  readonly path: string;
  readonly title: string;
  readonly Content: (props: { readonly api: Api }) => React.ReactNode;
}

const TABS: readonly Tab[] = [
  { path: '', title: 'Overview', Content: OverviewTab },
  { path: 'access', title: 'Access', Content: AccessTab },
  { path: 'settings', title: 'Settings', Content: SettingsTab },
  { path: 'history', title: 'History', Content: HistoryTab },
  { path: 'operations', title: 'Operations', Content: OperationsTab },
  { path: 'console', title: 'Test console', Content: ({ api }) => <ConsoleTab api={api} /> },
];

/** One API: what it is, its settings, its operations, and a console to try them. */
export function ApiPage() {
  const { name = '', tab = '' } = useParams();
  const api = useApi(name);
  const registry = useRegistry();
  // What can be done is known before anything is shown, so that nothing shifts.
  const isPending = api.isPending || registry.isPending;
  const shown = TABS.find(({ path }) => path === tab);
  if (shown === undefined) return <NotFoundPage />;
  return (
    <Page
      title={name}
      above={<ParentLink to={APIS}>APIs</ParentLink>}
      beside={api.isSuccess && <StateMark state={api.data.state} />}
    >
      {isPending && <LoadingFields count={4} />}
      {api.isError && <Failure error={api.error} retry={() => api.refetch()} what="API" />}
      {api.isSuccess && !isPending && (
        <>
          {registry.data?.writable === true && <ApiActions api={api.data} />}
          <ReadOnlyReason reason={registry.data?.reason ?? null} />
          <TabLinks name={name} />
          <Suspense fallback={<LoadingFields count={4} />}>
            <shown.Content key={name} api={api.data} />
          </Suspense>
        </>
      )}
    </Page>
  );
}

function TabLinks({ name }: { readonly name: string }) {
  return (
    <nav className="tabs" aria-label="About this API">
      {TABS.map(({ path, title }) => (
        <NavLink key={path} to={apiAddress(name, path)} end className="tab">
          {title}
        </NavLink>
      ))}
    </nav>
  );
}
