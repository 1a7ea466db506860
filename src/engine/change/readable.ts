import { GatewayError } from '../../contract/gateway-error.ts';

/** What is read, or undefined where whoever makes the change may not see it. */
export async function readable<Found>(read: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'Forbidden') return undefined;
    throw error;
  }
}
