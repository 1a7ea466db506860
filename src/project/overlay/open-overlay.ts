import { type Document, isNode, parseDocument, stringify, YAMLSeq } from 'yaml';
import {
  type DescriptionTexts,
  type OpenApiDescription,
  readDescription,
} from '../../openapi/openapi-description.ts';

/** An overlay that actions are added to; the rest of its text stays as it is. */
export interface OpenOverlay {
  add(action: object): void;
  /** The document with the current overlay. */
  describe(): OpenApiDescription;
  text(): string;
}

/** Opens the overlay of a document, or a new one with the title, without the actions that `isReplaced` selects. */
export function openOverlay(
  { overlay, ...document }: DescriptionTexts,
  title: string,
  isReplaced: (action: unknown) => boolean,
): OpenOverlay {
  const yaml = parseDocument(overlay?.text ?? stringify({ overlay: '1.0.0', info: { title, version: '1' } }));
  const actions = yaml.get('actions');
  const list = actions instanceof YAMLSeq ? actions : new YAMLSeq();
  list.items = list.items.filter((item) => !isReplaced(plainOf(item, yaml)));
  yaml.set('actions', list);
  const file = overlay?.file ?? 'overlay.yaml';
  const text = (): string => yaml.toString({ lineWidth: 0 });
  return {
    add: (action) => list.add(yaml.createNode(action)),
    // An overlay must have at least one action.
    describe: () =>
      readDescription(list.items.length === 0 ? document : { ...document, overlay: { file, text: text() } }),
    text() {
      if (list.items.length === 0) list.add(yaml.createNode({ target: '$', update: {} }));
      return text();
    },
  };
}

function plainOf(item: unknown, yaml: Document): unknown {
  return isNode(item) ? item.toJS(yaml) : item;
}
