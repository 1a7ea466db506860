import { lazy, Suspense } from 'react';
import { Navigate, Route, Routes, useLocation } from 'react-router';
import { AccountPage } from './pages/account-page.tsx';
import { AuditPage } from './pages/audit-page.tsx';
import { ConnectPage } from './pages/connect-page.tsx';
import { LandingPage } from './pages/landing-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { ConfirmPage, ForgotPasswordPage, ResetPasswordPage } from './pages/recovery-pages.tsx';
import { ScreenPage, StandardScreenPage } from './pages/screen-page.tsx';
import { SignInPage } from './pages/sign-in-page.tsx';
import { SignUpPage } from './pages/sign-up-page.tsx';
import { UsersPage } from './pages/users/users-page.tsx';
import { SCREENS, SCREENS_IN_NAVIGATION } from './screens/screens.ts';
import {
  ACCOUNT,
  APIS,
  AUDIT,
  CONFIRM,
  FORGOT_PASSWORD,
  RESET_PASSWORD,
  SIGN_IN,
  SIGN_UP,
  screenAddress,
  standardPath,
  USERS,
} from './service/addresses.ts';
import { Frame } from './shell/frame.tsx';
import { FailureBoundary } from './state/failure.tsx';

/** Loaded on demand, because few users need it. */
const ApisRoutes = lazy(() => import('./pages/apis/apis-routes.tsx'));

/** The screen at `/app`. */
const HOME = SCREENS_IN_NAVIGATION[0]?.path ?? '';

export function App() {
  const { pathname } = useLocation();
  return (
    <Frame>
      <FailureBoundary key={pathname}>
        <Routes>
          <Route path="/" element={<LandingPage />} />
          {SCREENS.map((screen) => (
            <Route
              key={screen.path}
              path={screenAddress(screen.path)}
              element={<ScreenPage key={screen.path} screen={screen} screens={SCREENS} />}
            />
          ))}
          <Route path="/app" element={<Navigate to={screenAddress(HOME)} replace />} />
          <Route path={`${screenAddress(standardPath(':name'))}/*`} element={<StandardScreenPage />} />
          <Route path={screenAddress('connect/:name')} element={<ConnectPage />} />
          <Route path={SIGN_IN} element={<SignInPage />} />
          <Route path={SIGN_UP} element={<SignUpPage />} />
          <Route path={FORGOT_PASSWORD} element={<ForgotPasswordPage />} />
          <Route path={RESET_PASSWORD} element={<ResetPasswordPage />} />
          <Route path={CONFIRM} element={<ConfirmPage />} />
          <Route path={AUDIT} element={<AuditPage />} />
          <Route path={USERS} element={<UsersPage />} />
          <Route path={ACCOUNT} element={<AccountPage />} />
          <Route
            path={`${APIS}/*`}
            element={
              <Suspense>
                <ApisRoutes />
              </Suspense>
            }
          />
          <Route path="*" element={<NotFoundPage />} />
        </Routes>
      </FailureBoundary>
    </Frame>
  );
}
