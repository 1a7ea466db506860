import { useLocation } from 'react-router';

/** What a mailed link says behind `#`, where no server sees it. */
export function useMailedToken(): string {
  const { hash } = useLocation();
  return new URLSearchParams(hash.slice(1)).get('token') ?? '';
}
