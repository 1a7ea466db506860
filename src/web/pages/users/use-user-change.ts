import { useMutation, useQueryClient } from '@tanstack/react-query';

/** What has been read of accounts, as it is known to the pages that show it. */
export const USERS = ['users'];

/** Does something to accounts; what is on the screen is read again, also who asks: he may have changed himself. */
export function useUserChange<Input, Output>(change: (input: Input) => Promise<Output>, done?: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => {
      done?.();
      return Promise.all([USERS, ['session']].map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
}
