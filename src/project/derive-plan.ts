import type { Log } from '../contract/log.ts';
import { type Plan, type ServedPlan, servedPlan } from './plan.ts';

/**
 * What the gateway would serve of a plan, without serving it: what the mesh cannot take is no part of the
 * model, whatever the document says.
 */
export async function derivePlan(plan: Plan): Promise<ServedPlan> {
  // It takes longer to load than all the rest.
  const { createGatewayMesh } = await import('../mesh/mesh.ts');
  const mesh = await createGatewayMesh({ ...plan, log: SILENT });
  try {
    return servedPlan(plan, mesh);
  } finally {
    await mesh.destroy();
  }
}

/** No operation is called, and an endpoint is no part of a model. */
export const UNCALLED = 'http://localhost';

/** What the mesh would log is in its report. */
const SILENT: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
