import type { Screen } from '../controls/screen.ts';
import { SCREENS } from '../screens.ts';
import { entitySetName } from '../service/target-url.ts';

export const SCREENS_IN_NAVIGATION = SCREENS.filter(({ navigation }) => navigation === true);

/** The entity set that a screen shows. */
export function entitySetOf({ control }: Screen): string {
  return entitySetName(control.kind === 'list' ? control.dataPath : control.targetUrl);
}
