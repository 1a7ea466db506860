import type { Screen } from '../controls/screen.ts';
import type { Metadata } from '../service/metadata.ts';
import { entitySetName } from '../service/target-url.ts';
import { SCREENS } from './screens.ts';

export const SCREENS_IN_NAVIGATION = SCREENS.filter(({ navigation }) => navigation === true);

/** The entity set that a screen shows. */
export function entitySetOf({ control }: Screen): string {
  return entitySetName(control.kind === 'list' ? control.dataPath : control.targetUrl);
}

/** Whether the user may do what the screen is for. */
export function isUsable(screen: Screen, metadata: Metadata): boolean {
  const entitySet = metadata.entitySets.get(entitySetOf(screen));
  const creates = screen.control.kind === 'form' && screen.control.inputs.readOnly !== true;
  return entitySet !== undefined && (entitySet.insertable || !creates);
}
