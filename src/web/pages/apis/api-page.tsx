import { lazy, Suspense } from 'react';
import { NavLink, useNavigate, useParams } from 'react-router';
import { Confirmation, DialogButton } from '../../controls/dialog-button.tsx';
import { ActionButton } from '../../controls/inputs.tsx';
import { APIS, apiAddress } from '../../service/addresses.ts';
import { type ApiDetail, deleteApi, moveApi, switchApi } from '../../service/registry.ts';
import { Page, ParentLink } from '../../shell/page.tsx';
import { FormFailure } from '../../state/failure.tsx';
import { Loaded } from '../../state/loaded.tsx';
import { LoadingFields } from '../../state/loading.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { AccessTab } from './access/access-tab.tsx';
import { ReadOnlyReason, StateMark } from './api-state.tsx';
import { ConfirmChanges, isConfirmation } from './confirm-changes.tsx';
import { ChangeStatus } from './document-progress.tsx';
import { HistoryTab } from './history-tab.tsx';
import { LearnTab } from './learn-tab.tsx';
import { OperationsTab } from './operations-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { ParametersTab } from './parameters-tab.tsx';
import { RelationsTab } from './relations-tab.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { SuggestionsTab } from './suggestions-tab.tsx';
import { type TabProps, useApi, useApiChange, useRegistry } from './use-api.ts';

const ConsoleTab = lazy(() => import('./console/console-tab.tsx'));

interface Tab {
  readonly path: string;
  readonly title: string;
  readonly Content: (props: TabProps) => React.ReactNode;
}

const TABS: readonly Tab[] = [
  { path: '', title: 'Overview', Content: OverviewTab },
  { path: 'access', title: 'Access', Content: AccessTab },
  { path: 'settings', title: 'Settings', Content: SettingsTab },
  { path: 'history', title: 'History', Content: HistoryTab },
  { path: 'operations', title: 'Operations', Content: OperationsTab },
  { path: 'learn', title: 'Learn', Content: LearnTab },
  { path: 'suggestions', title: 'Suggestions', Content: SuggestionsTab },
  { path: 'parameters', title: 'Parameters', Content: ParametersTab },
  { path: 'relations', title: 'Relations', Content: RelationsTab },
  { path: 'console', title: 'Test console', Content: ({ api }) => <ConsoleTab api={api} /> },
];

/** One API: overview, settings, operations, and a test console. */
export function ApiPage() {
  const { name = '', tab = '' } = useParams();
  const api = useApi(name);
  const registry = useRegistry();
  const pending = <LoadingFields count={4} />;
  const shown = TABS.find(({ path }) => path === tab);
  if (shown === undefined) return <NotFoundPage />;
  return (
    <Page
      title={name}
      above={<ParentLink to={APIS}>APIs</ParentLink>}
      beside={api.isSuccess && <StateMark state={api.data.state} />}
    >
      {/* What can be done is known before anything is shown, so that nothing shifts. */}
      <Loaded query={registry} what="list of APIs" pending={pending}>
        {({ writable, reason }) => (
          <Loaded query={api} what="API" pending={pending}>
            {(known) => (
              <>
                {writable && <ApiActions api={known} />}
                <ReadOnlyReason reason={reason} />
                <TabLinks name={name} />
                <Suspense fallback={pending}>
                  <shown.Content key={name} api={known} isWritable={writable} />
                </Suspense>
              </>
            )}
          </Loaded>
        )}
      </Loaded>
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

/** Adds the API to the project, removes it, or deletes it. */
function ApiActions({ api }: { readonly api: ApiDetail }) {
  const navigate = useNavigate();
  const moving = useApiChange(async (order: Parameters<typeof moveApi>[1], progressId) => {
    const moved = await moveApi(api.name, order, progressId);
    if (moved.state === 'ungranted') navigate(apiAddress(api.name, 'access'));
    return moved;
  });
  return (
    <>
      <div className="buttons actions">
        {api.state === 'registered' ? (
          <ActionButton
            label="Add to project"
            doing="Adding …"
            isPending={moving.isPending}
            act={() => moving.mutate({ verb: 'add' })}
          />
        ) : (
          <DialogButton label="Remove from project" title={`Remove ${api.name} from the project?`}>
            {(close) => (
              <Confirmation
                label={`Remove ${api.name}`}
                doing="Removing …"
                act={() => moving.mutate({ verb: 'remove' })}
                change={moving}
                keep={close}
              >
                OData and GraphQL will no longer serve: {api.entitySets.join(', ') || 'nothing'}. The API
                stays registered, with its document, access and history, and can be added again.
              </Confirmation>
            )}
          </DialogButton>
        )}
        {api.state !== 'registered' && <SwitchButton api={api} />}
        <DeleteButton name={api.name} />
      </div>
      <ChangeStatus
        change={moving}
        isServed
        otherwise="Changing the project …"
        done={moving.data && tellMove(moving.data)}
      />
      <ConfirmChanges
        error={moving.error}
        confirm={(confirm) => moving.mutate({ verb: 'add', confirm })}
        isPending={moving.isPending}
      />
      <FormFailure error={moving.error} isAtField={isConfirmation} />
    </>
  );
}

function tellMove({ state, name }: ApiDetail): string {
  if (state === 'registered') return `${name} was removed from the project and is no longer served.`;
  if (state === 'ungranted') return `${name} is live. Nobody can use it yet: choose who can.`;
  return `${name} is live and served as OData and GraphQL.`;
}

/** Disables and enables the API. */
function SwitchButton({ api: { name, disabled } }: { readonly api: ApiDetail }) {
  const switching = useApiChange(switchApi.bind(undefined, name));
  if (disabled !== null) {
    return (
      <ActionButton
        label="Turn on"
        doing="Turning on …"
        isPending={switching.isPending}
        act={() => switching.mutate({ verb: 'enable' })}
      />
    );
  }
  return (
    <DialogButton label="Turn off" title={`Turn ${name} off?`}>
      {(close) => (
        <Confirmation
          label={`Turn ${name} off`}
          doing="Turning off …"
          act={() => switching.mutate({ verb: 'disable', reason: '' })}
          change={switching}
          keep={close}
        >
          Nothing will be sent to the API until it is turned on again. Until then, requests for its entity
          sets fail, saying that it is turned off.
        </Confirmation>
      )}
    </DialogButton>
  );
}

function DeleteButton({ name }: { readonly name: string }) {
  const navigate = useNavigate();
  const deleting = useApiChange(async () => {
    await deleteApi(name);
    navigate(APIS, { replace: true });
  });
  return (
    <DialogButton label="Delete" className="danger" title={`Delete ${name}?`}>
      {(close) => (
        <Confirmation
          label={`Delete ${name}`}
          doing="Deleting …"
          act={() => deleting.mutate(undefined)}
          change={deleting}
          keep={close}
        >
          It will no longer be served. Its document, access settings and history will be deleted from the
          project. This cannot be undone.
        </Confirmation>
      )}
    </DialogButton>
  );
}
