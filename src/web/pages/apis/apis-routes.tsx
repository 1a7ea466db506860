import { Route, Routes } from 'react-router';
import { REGISTER } from '../../service/addresses.ts';
import { NotFoundPage } from '../not-found-page.tsx';
import { ApiPage } from './api-page.tsx';
import { ApisPage } from './apis-page.tsx';
import { RegisterPage } from './register-page.tsx';

/** The pages of the registry of APIs. */
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
