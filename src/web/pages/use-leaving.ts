import { useNavigate } from 'react-router';
import { useSessionChange } from '../service/session.ts';

/** What is done when nobody is signed in any more: nothing of theirs is left on the screen. */
export function useLeaving(): () => Promise<void> {
  const navigate = useNavigate();
  const changeSession = useSessionChange();
  return async () => {
    navigate('/', { replace: true });
    await changeSession();
  };
}
