import { Link, Route, Routes } from 'react-router';
import { MoreItems } from '../../controls/list/more-items.tsx';
import { quantity } from '../../controls/quantity.ts';
import { apiAddress, REGISTER, REGISTER_API } from '../../service/addresses.ts';
import type { ApiListing, ApiSummary } from '../../service/registry.ts';
import { Page } from '../../shell/page.tsx';
import { Loaded } from '../../state/loaded.tsx';
import { LoadingRows } from '../../state/loading.tsx';
import { Notice } from '../../state/notice.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { ApiPage } from './api-page.tsx';
import { describeProblems, ReadOnlyReason, StateMark } from './api-state.tsx';
import { RegisterPage } from './register-page.tsx';
import { useApis } from './use-api.ts';

export default function ApisRoutes() {
  return (
    <Routes>
      <Route index element={<ApisPage />} />
      <Route path={REGISTER} element={<RegisterPage />} />
      <Route path=":name" element={<ApiPage />} />
      <Route path=":name/:tab" element={<ApiPage />} />
      <Route path="*" element={<NotFoundPage />} />
    </Routes>
  );
}

function ApisPage() {
  const registry = useApis();
  const [first] = registry.data?.pages ?? [];
  return (
    <Page title="APIs" beside={first?.writable === true && <RegisterLink />}>
      <Loaded query={registry} what="list of APIs" pending={<LoadingRows />}>
        {({ pages }) => <Apis reason={first?.reason ?? null} apis={pages.flatMap((page) => page.apis)} />}
      </Loaded>
      <MoreItems pages={registry} />
    </Page>
  );
}

function RegisterLink() {
  return (
    <Link to={REGISTER_API} className="button primary">
      Register an API
    </Link>
  );
}

function Apis({ reason, apis }: Pick<ApiListing, 'reason' | 'apis'>) {
  return (
    <>
      <ReadOnlyReason reason={reason} />
      {apis.length === 0 ? (
        <Notice title="No APIs yet">
          <p>Register one with its OpenAPI file, then add it to the project.</p>
        </Notice>
      ) : (
        <ul className="items" aria-label="APIs">
          {apis.map((api) => (
            <li key={api.name}>
              <ApiItem api={api} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function ApiItem({ api }: { readonly api: ApiSummary }) {
  const { name, title, version, state, operations, entitySets } = api;
  const hasErrors = api.errors > 0;
  return (
    <Link to={apiAddress(name)} className="item api">
      <span className="api-name">
        <span className="item-title">{name}</span>
        <span className="hint">{[title, version].filter((part) => part !== '').join(' · ')}</span>
      </span>
      <span className="hint api-size">
        {quantity(operations, 'operation')}, {quantity(entitySets.length, 'entity set')}
      </span>
      <span className={hasErrors ? 'problem api-size' : 'hint api-size'}>{describeProblems(api)}</span>
      <StateMark state={state} />
    </Link>
  );
}
