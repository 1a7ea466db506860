import { useParams } from 'react-router';
import { standardPath, standardScreens } from '../screens/standard-screens.ts';
import { useMetadata } from '../service/use-metadata.ts';
import { Page } from '../shell/page.tsx';
import { Failure } from '../state/failure.tsx';
import { LoadingRows } from '../state/loading.tsx';
import { NotFoundPage } from './not-found-page.tsx';
import { ScreenPage } from './screen-page.tsx';

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
