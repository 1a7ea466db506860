import { Link } from 'react-router';
import { Page } from '../shell/page.tsx';

export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <p className="lead">
        See <Link to="/">what is served here</Link>.
      </p>
    </Page>
  );
}
