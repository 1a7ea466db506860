import { queryOptions } from '@tanstack/react-query';
import type { Landing } from '../../contract/landing.ts';
import { gatewayUrl, requestJson } from './request.ts';

export type {
  Connection,
  Landing,
  LandingIssuer as Issuer,
  Link as LandingLink,
  ListedApi as ServedApi,
  ServedEntitySet,
} from '../../contract/landing.ts';

export const landingQuery = queryOptions<Landing>({
  queryKey: ['landing'],
  queryFn: () => requestJson(gatewayUrl('')),
});
