import type { Plan, ServedPlan } from './plan.ts';
import { preparePlan } from './prepare-project.ts';

/** The served part of a plan, without serving it: operations that Mesh cannot handle are not in the model. */
export async function derivePlan(plan: Plan): Promise<ServedPlan> {
  return (await preparePlan(plan)).plan;
}
