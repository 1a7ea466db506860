import { Link, useLocation, useParams } from 'react-router';
import { FormControl } from '../controls/form/form-control.tsx';
import { ListControl } from '../controls/list/list-control.tsx';
import type { Screen } from '../controls/screen.ts';
import { entitySetOf, isUsable } from '../screens/screens.ts';
import { standardPath, standardScreens } from '../screens/standard-screens.ts';
import { parentPath, screenAddress } from '../service/addresses.ts';
import type { Metadata } from '../service/metadata.ts';
import { useMetadata } from '../service/use-metadata.ts';
import { Page } from '../shell/page.tsx';
import { Failure, Withheld } from '../state/failure.tsx';
import { LoadingRows } from '../state/loading.tsx';
import { NotFoundPage } from './not-found-page.tsx';

interface ScreenPageProps {
  readonly screen: Screen;
  /** Those that it may lead to. */
  readonly screens: readonly Screen[];
}

/** A screen as it is configured, with what `$metadata` says of its entity set. */
export function ScreenPage({ screen, screens }: ScreenPageProps) {
  const metadata = useMetadata();
  return (
    <Page
      title={screen.title}
      above={<ParentLink screen={screen} screens={screens} />}
      beside={<PageLinks screen={screen} screens={screens} metadata={metadata.data} />}
    >
      {metadata.isPending && <LoadingRows />}
      {metadata.isError && (
        <Failure error={metadata.error} retry={() => metadata.refetch()} what="description of the service" />
      )}
      {metadata.isSuccess && <Control screen={screen} metadata={metadata.data} />}
    </Page>
  );
}

interface ControlProps {
  readonly screen: Screen;
  readonly metadata: Metadata;
}

function Control({ screen, metadata }: ControlProps) {
  const name = entitySetOf(screen);
  const entitySet = metadata.entitySets.get(name);
  if (entitySet === undefined) {
    return (
      <Withheld title={`${name} is not available to you`}>
        It does not exist, or your role has no access to it.
      </Withheld>
    );
  }
  if (!isUsable(screen, metadata)) {
    return (
      <Withheld title={`You cannot create a ${entitySet.typeName}`}>
        The API does not accept new ones, or your role does not allow it.
      </Withheld>
    );
  }
  return screen.control.kind === 'list' ? (
    <ListControl configuration={screen.control} entitySet={entitySet} />
  ) : (
    <FormControl configuration={screen.control} entitySet={entitySet} title={screen.title} />
  );
}

/** Leads back to the list as it was, where one came from it. */
function ParentLink({ screen, screens }: ScreenPageProps) {
  const { state } = useLocation();
  const parent = screens.find(({ path }) => path === parentPath(screen.path));
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

interface PageLinksProps extends ScreenPageProps {
  readonly metadata: Metadata | undefined;
}

/** Links to the screens that are of use to the user, as far as that is known. */
function PageLinks({ screen, screens, metadata }: PageLinksProps) {
  const linked = screens.filter(
    (other) => screen.links?.includes(other.path) && (metadata === undefined || isUsable(other, metadata)),
  );
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

/** A screen of an entity set that none has been configured for. */
export function StandardScreenPage() {
  const { name = '', '*': rest = '' } = useParams();
  const metadata = useMetadata();
  if (!metadata.isSuccess) {
    return (
      <Page title={name}>
        {metadata.isPending && <LoadingRows />}
        {metadata.isError && (
          <Failure
            error={metadata.error}
            retry={() => metadata.refetch()}
            what="description of the service"
          />
        )}
      </Page>
    );
  }
  const entitySet = metadata.data.entitySets.get(name);
  const screens = entitySet === undefined ? [] : standardScreens(entitySet);
  const path = rest === '' ? standardPath(name) : `${standardPath(name)}/${rest}`;
  const screen = screens.find((one) => one.path === path);
  return screen === undefined ? (
    <NotFoundPage />
  ) : (
    <ScreenPage key={path} screen={screen} screens={screens} />
  );
}
