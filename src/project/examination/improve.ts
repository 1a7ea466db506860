import { isDeepStrictEqual } from 'node:util';
import type {
  ImprovementAnswer,
  ImprovementOrder,
  OverlayAction,
  WrittenOverlay,
} from '../../contract/improvements.ts';
import { type DescriptionTexts, readDescription } from '../../openapi/openapi-description.ts';
import {
  differenceLines,
  type LearntAction,
  learnActions,
  learnableReads,
  withActions,
  writtenActions,
} from '../learning/learn-overlay.ts';
import { suggestActions } from '../suggestion/suggest-actions.ts';

/** Answers an order. Throws a {@link DocumentMistake} for texts that cannot be read. */
export function improveDocument(texts: DescriptionTexts, order: ImprovementOrder): ImprovementAnswer {
  const overlay = texts.overlay?.text;
  if (order.kind === 'write') return { overlay: writeActions(texts, order.actions) };
  const description = readDescription(texts);
  switch (order.kind) {
    case 'reads':
      return { reads: learnableReads(description, overlay, order.supplied) };
    case 'learn':
      return { actions: newActions(learnActions(description, overlay, order.supplied, order.samples)) };
    case 'bundle':
      return { document: JSON.stringify(description.original.document, undefined, 2) };
    case 'suggest':
      return { suggestions: suggestActions(description, writtenActions(overlay)) };
  }
}

/** The actions that change what the overlay says. */
function newActions(actions: readonly LearntAction[]): readonly OverlayAction[] {
  return actions.flatMap(({ target, description, update, before }) =>
    isDeepStrictEqual(before, update) ? [] : [{ target, description, update }],
  );
}

function writeActions(
  { overlay, file = 'openapi.yaml' }: DescriptionTexts,
  actions: readonly OverlayAction[],
): WrittenOverlay {
  const earlier = writtenActions(overlay?.text);
  const difference = actions.flatMap((action) => {
    const before = earlier.find(({ description }) => description === action.description)?.update;
    return differenceLines({ ...action, before });
  });
  return { text: withActions(overlay?.text, file, actions), difference };
}
