import { Link } from 'react-router';
import { Page } from '../shell/page.tsx';

export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <p className="lead">
        What is served is listed <Link to="/">here</Link>.
      </p>
    </Page>
  );
}
