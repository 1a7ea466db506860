import { useMutation } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { goToIssuer } from '../../service/issuers.ts';
import type { Issuer } from '../../service/landing.ts';
import { returnAddress } from '../../service/return-address.ts';
import { FormFailure } from '../../state/form-failure.tsx';

interface IssuerButtonsProps {
  readonly issuers: readonly Issuer[] | undefined;
  /** Whether there is something else to sign in by, below. */
  readonly hasOther: boolean;
}

/** Signs in, or up, by somebody else. */
export function IssuerButtons({ issuers = [], hasOther }: IssuerButtonsProps) {
  const [parameters] = useSearchParams();
  const going = useMutation({
    mutationFn: (issuer: Issuer) =>
      goToIssuer(issuer, 'sign-in', {
        returnTo: returnAddress(parameters),
        invitation: parameters.get('invitation') ?? undefined,
      }),
  });
  if (issuers.length === 0) return null;
  return (
    <div className="narrow issuers">
      <FormFailure error={going.error} />
      {issuers.map((issuer) => (
        <button
          key={issuer.path}
          type="button"
          disabled={going.isPending}
          onClick={() => going.mutate(issuer)}
        >
          Continue with {issuer.name}
        </button>
      ))}
      {hasOther && <p className="or">or</p>}
    </div>
  );
}
