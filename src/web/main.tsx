import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { App } from './app.tsx';
import { BASE_PATH, RequestFailure } from './service/request.ts';

/** The gateway has retried already, so only a lost connection is worth another attempt. */
function isWorthRetrying(failures: number, error: Error): boolean {
  return failures < 1 && error instanceof RequestFailure && error.status === 0;
}

const queries = new QueryClient({
  defaultOptions: { queries: { retry: isWorthRetrying, staleTime: 15_000, refetchOnWindowFocus: false } },
});

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element with the id root.');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      {/* Whoever follows a link is on the next page at once: what is typed does not go into the page before it. */}
      <BrowserRouter basename={BASE_PATH} useTransitions={false}>
        <App />
      </BrowserRouter>
    </QueryClientProvider>
  </StrictMode>,
);
