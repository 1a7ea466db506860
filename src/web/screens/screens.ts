import type { Screen } from '../controls/screen.ts';
import { entitySetName } from '../service/entity.ts';
import type { Metadata } from '../service/metadata.ts';

/**
 * The configured screens. Controls take the properties to show from `$metadata`. URLs are relative to the
 * parent of the screen.
 */
export const SCREENS: readonly Screen[] = [
  {
    path: 'posts',
    title: 'Posts',
    navigation: true,
    links: ['posts/add-post'],
    control: {
      kind: 'list',
      dataPath: '/Post',
      itemTitle: '{Title}',
      targetUrl: 'posts/post-by-id',
      parameters: { postId: '{Id}' },
    },
  },
  {
    path: 'posts/post-by-id',
    title: 'Post by ID',
    control: {
      kind: 'form',
      targetUrl: "/Post('<postId>')",
      inputs: { readOnly: true },
      buttons: [],
    },
  },
  {
    path: 'posts/add-post',
    title: 'Add Post',
    control: {
      kind: 'form',
      targetUrl: '/Post',
      inputs: { exclude: 'UserId, Id' },
      buttons: [{ label: 'Add post' }, { label: 'Cancel', navigateUrl: '..' }],
    },
  },
];

export const SCREENS_IN_NAVIGATION = SCREENS.filter(({ navigation }) => navigation === true);

export function entitySetOf({ control }: Screen): string {
  return entitySetName(control.kind === 'list' ? control.dataPath : control.targetUrl);
}

/** Whether the user has the permissions that the screen needs. */
export function isUsable(screen: Screen, metadata: Metadata): boolean {
  const entitySet = metadata.entitySets.get(entitySetOf(screen));
  const creates = screen.control.kind === 'form' && screen.control.inputs.readOnly !== true;
  return entitySet !== undefined && (entitySet.insertable || !creates);
}
