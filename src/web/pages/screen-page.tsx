import { Link, useLocation } from 'react-router';
import { FormControl } from '../controls/form/form-control.tsx';
import { ListControl } from '../controls/list/list-control.tsx';
import type { Screen } from '../controls/screen.ts';
import { SCREENS } from '../screens.ts';
import type { EntitySet } from '../service/metadata.ts';
import { useMetadata } from '../service/use-metadata.ts';
import { parentPath, screenAddress } from '../shell/addresses.ts';
import { Page } from '../shell/page.tsx';
import { Failure } from '../state/failure.tsx';
import { LoadingRows } from '../state/loading.tsx';
import { Notice } from '../state/notice.tsx';
import { entitySetOf } from './screen-target.ts';

/** A screen as it is configured, with what `$metadata` says of its entity set. */
export function ScreenPage({ screen }: { readonly screen: Screen }) {
  const metadata = useMetadata();
  const name = entitySetOf(screen);
  const entitySet = metadata.data?.entitySets.get(name);
  return (
    <Page title={screen.title} above={<ParentLink screen={screen} />} beside={<PageLinks screen={screen} />}>
      {metadata.isPending && <LoadingRows />}
      {metadata.isError && <Failure error={metadata.error} retry={() => metadata.refetch()} what={name} />}
      {metadata.isSuccess && entitySet === undefined && (
        <Notice title={`This service has no ${name} for you`}>
          <p>Either there is no such entity set, or your role may not see it.</p>
        </Notice>
      )}
      {entitySet !== undefined && <Control screen={screen} entitySet={entitySet} />}
    </Page>
  );
}

function Control({ screen, entitySet }: { readonly screen: Screen; readonly entitySet: EntitySet }) {
  return screen.control.kind === 'list' ? (
    <ListControl configuration={screen.control} entitySet={entitySet} />
  ) : (
    <FormControl configuration={screen.control} entitySet={entitySet} title={screen.title} />
  );
}

/** Leads back to the list as it was, where one came from it. */
function ParentLink({ screen }: { readonly screen: Screen }) {
  const { state } = useLocation();
  const parent = SCREENS.find(({ path }) => path === parentPath(screen.path));
  if (parent === undefined) return null;
  const search = typeof state?.parentSearch === 'string' ? state.parentSearch : '';
  return (
    <nav className="parent" aria-label="Breadcrumb">
      <Link to={screenAddress(parent.path) + search} className="parent-link">
        {parent.title}
      </Link>
    </nav>
  );
}

function PageLinks({ screen }: { readonly screen: Screen }) {
  const linked = SCREENS.filter(({ path }) => screen.links?.includes(path));
  if (linked.length === 0) return null;
  return (
    <div className="page-links">
      {linked.map(({ path, title }) => (
        <Link key={path} to={screenAddress(path)} className="button primary">
          {title}
        </Link>
      ))}
    </div>
  );
}
