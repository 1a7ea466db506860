import { GatewayError } from '../../contract/gateway-error.ts';
import { collectionOf } from '../../engine/resource/entity-set-resource.ts';
import { memberOf } from '../../engine/resource/place.ts';
import type { Face } from '../schema/face.ts';
import type { BodyStyle } from './body-text.ts';

/** Links lead to entities of sets, which have URLs of their own. */
export function bodyStyle(face: Face, verbatim: boolean): BodyStyle {
  return {
    face,
    verbatim,
    urlOf(_, navigation, key) {
      const set = face.model.entitySets.get(navigation.target ?? '');
      if (set === undefined) {
        const message = `link: expected a relation to entities of a set, found "${navigation.name}".`;
        throw new GatewayError('BadRequest', message, { target: 'link' });
      }
      return memberOf(collectionOf(set), key).url;
    },
  };
}
