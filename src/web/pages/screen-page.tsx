import { Link, useLocation, useParams } from 'react-router';
import { FormControl } from '../controls/form/form-control.tsx';
import { ListControl } from '../controls/list/list-control.tsx';
import type { Screen } from '../controls/screen.ts';
import { entitySetOf, isUsable } from '../screens/screens.ts';
import { standardScreens } from '../screens/standard-screens.ts';
import { parentPath, screenAddress, standardPath } from '../service/addresses.ts';
import type { Metadata } from '../service/metadata.ts';
import { useMetadata } from '../service/use-metadata.ts';
import { Page, ParentLink } from '../shell/page.tsx';
import { Withheld } from '../state/failure.tsx';
import { Loaded } from '../state/loaded.tsx';
import { LoadingRows } from '../state/loading.tsx';
import { NotFoundPage } from './not-found-page.tsx';

interface ScreenPageProps {
  readonly screen: Screen;
  /** The screens that it may link to. */
  readonly screens: readonly Screen[];
}

/** A configured screen, with the metadata of its entity set. */
export function ScreenPage({ screen, screens }: ScreenPageProps) {
  const metadata = useMetadata();
  return (
    <Page
      title={screen.title}
      above={<ParentScreen screen={screen} screens={screens} />}
      beside={<PageLinks screen={screen} screens={screens} metadata={metadata.data} />}
    >
      <Loaded query={metadata} what="description of the service" pending={<LoadingRows />}>
        {(model) => <Control screen={screen} metadata={model} />}
      </Loaded>
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

/** Links back to the list in its previous state. */
function ParentScreen({ screen, screens }: ScreenPageProps) {
  const { state } = useLocation();
  const parent = screens.find(({ path }) => path === parentPath(screen.path));
  if (parent === undefined) return null;
  const search = typeof state?.parentSearch === 'string' ? state.parentSearch : '';
  return <ParentLink to={screenAddress(parent.path) + search}>{parent.title}</ParentLink>;
}

interface PageLinksProps extends ScreenPageProps {
  readonly metadata: Metadata | undefined;
}

/** Links to screens that the user may use, as far as known. */
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

/** A screen of an entity set without a configured one. */
export function StandardScreenPage() {
  const { name = '', '*': rest = '' } = useParams();
  const metadata = useMetadata();
  if (!metadata.isSuccess) {
    return (
      <Page title={name}>
        <Loaded query={metadata} what="description of the service" pending={<LoadingRows />}>
          {() => null}
        </Loaded>
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
