import type { Plan, ServedPlan } from './plan.ts';
import { preparePlan } from './prepare-project.ts';

/**
 * What the gateway would serve of a plan, without serving it: what the mesh cannot take is no part of the
 * model, whatever the document says.
 */
export async function derivePlan(plan: Plan): Promise<ServedPlan> {
  return (await preparePlan(plan)).plan;
}
