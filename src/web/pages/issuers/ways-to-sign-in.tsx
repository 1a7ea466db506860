import { useMutation, useQuery } from '@tanstack/react-query';
import { goToIssuer, type WaysToSignIn as Ways, waysQuery } from '../../service/issuers.ts';
import { Failure } from '../../state/failure.tsx';
import { FormFailure } from '../../state/form-failure.tsx';
import { LoadingFields } from '../../state/loading.tsx';

/** How the account is signed in to, and how else it could be. */
export function WaysToSignIn() {
  const ways = useQuery(waysQuery);
  return (
    <section className="apart" aria-labelledby="ways">
      <h2 id="ways">Ways to sign in</h2>
      {ways.isPending && <LoadingFields count={2} />}
      {ways.isError && <Failure error={ways.error} retry={() => ways.refetch()} what="ways to sign in" />}
      {ways.data !== undefined && <WayList ways={ways.data} />}
    </section>
  );
}

function WayList({ ways }: { readonly ways: Ways }) {
  const connecting = useMutation({
    mutationFn: (issuer: Ways['issuers'][number]) => goToIssuer(issuer, 'connect'),
  });
  return (
    <>
      <FormFailure error={connecting.error} />
      <dl className="card facts">
        <dt>Password</dt>
        <dd>{ways.hasPassword ? 'Set' : 'None'}</dd>
        {ways.issuers.map((issuer) => [
          <dt key={`${issuer.path} name`}>{issuer.name}</dt>,
          <dd key={issuer.path}>
            {issuer.isConnected ? (
              'Connected'
            ) : (
              <button type="button" disabled={connecting.isPending} onClick={() => connecting.mutate(issuer)}>
                Connect {issuer.name}
              </button>
            )}
          </dd>,
        ])}
      </dl>
    </>
  );
}
