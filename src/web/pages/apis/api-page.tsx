import { lazy, type ReactNode, Suspense, useRef } from 'react';
import { NavLink, useNavigate, useParams } from 'react-router';
import { APIS, apiAddress } from '../../service/addresses.ts';
import { type Api, deleteApi, moveApi } from '../../service/registry.ts';
import { Page, ParentLink } from '../../shell/page.tsx';
import { Failure, FormFailure } from '../../state/failure.tsx';
import { LoadingFields } from '../../state/loading.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { AccessTab } from './access/access-tab.tsx';
import { ReadOnlyReason, StateMark } from './api-state.tsx';
import { DocumentProgress } from './document-progress.tsx';
import { HistoryTab } from './history-tab.tsx';
import { OperationsTab } from './operations-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { useApi, useApiChange, useRegistry } from './use-api.ts';

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

/** Into the project, out of it, and away. */
function ApiActions({ api }: { readonly api: Api }) {
  const navigate = useNavigate();
  const moving = useApiChange(async (verb: 'add' | 'remove', progressId) => {
    const moved = await moveApi(api.name, verb, progressId);
    if (moved.state === 'ungranted') navigate(apiAddress(api.name, 'access'));
    return moved;
  });
  const isInProject = api.state !== 'registered';
  return (
    <>
      <div className="buttons actions">
        {isInProject ? (
          <AskedButton
            label="Remove from project"
            title={`Remove ${api.name} from the project?`}
            answer={`Remove ${api.name}`}
            doing="Removing …"
            error={moving.error}
            isPending={moving.isPending}
            act={() => moving.mutate('remove')}
          >
            <p>
              OData and GraphQL will no longer serve: {api.entitySets.join(', ') || 'nothing'}. The API stays
              registered, with its document, access and history, and can be added again.
            </p>
          </AskedButton>
        ) : (
          <button
            type="button"
            className="primary"
            disabled={moving.isPending}
            onClick={() => moving.mutate('add')}
          >
            {moving.isPending ? 'Adding …' : 'Add to project'}
          </button>
        )}
        <DeleteButton name={api.name} />
      </div>
      <div className="told" role="status">
        {moving.isPending && (
          <DocumentProgress id={moving.progressId} isServed otherwise="Changing the project …" />
        )}
        {moving.isSuccess && <p className="banner good">{tellMove(moving.data)}</p>}
      </div>
      <FormFailure error={moving.error} />
    </>
  );
}

function tellMove({ state, name }: Api): string {
  if (state === 'registered') return `${name} was removed from the project and is no longer served.`;
  if (state === 'ungranted') return `${name} is live. Nobody may use it yet: choose who may.`;
  return `${name} is live and served as OData and GraphQL.`;
}

function DeleteButton({ name }: { readonly name: string }) {
  const navigate = useNavigate();
  const deleting = useApiChange(async () => {
    await deleteApi(name);
    navigate(APIS, { replace: true });
  });
  return (
    <AskedButton
      label="Delete"
      title={`Delete ${name}?`}
      answer={`Delete ${name}`}
      doing="Deleting …"
      error={deleting.error}
      isPending={deleting.isPending}
      act={() => deleting.mutate(undefined)}
      isDangerous
    >
      <p>
        It will no longer be served. Its document, access settings and history will be deleted from the
        project. This cannot be undone.
      </p>
    </AskedButton>
  );
}

interface AskedButtonProps {
  readonly label: string;
  /** What is asked. */
  readonly title: string;
  /** What is answered where it is meant. */
  readonly answer: string;
  /** Such as `Deleting …`. */
  readonly doing: string;
  readonly act: () => void;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly isDangerous?: boolean;
  /** What goes. */
  readonly children: ReactNode;
}

/** A button for what takes something away: a dialog says what that is before it is done. */
function AskedButton(props: AskedButtonProps) {
  const { label, title, answer, doing, act, error, isPending, isDangerous = false, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button
        type="button"
        className={isDangerous ? 'danger' : undefined}
        onClick={() => dialog.current?.showModal()}
      >
        {label}
      </button>
      <dialog ref={dialog} className="card" aria-label={title}>
        <h2>{title}</h2>
        {children}
        <FormFailure error={error} />
        <div className="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Keep it
          </button>
          <button type="button" className="danger" disabled={isPending} onClick={act}>
            {isPending ? doing : answer}
          </button>
        </div>
      </dialog>
    </>
  );
}
