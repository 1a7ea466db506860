import type { OverlayAction, Suggestion } from '../../contract/improvements.ts';
import type { OpenApiDescription } from '../../openapi/openapi-description.ts';
import { findProposals, type Proposal } from './find-proposals.ts';
import { targetOf } from './json-path-of.ts';

const TITLES: Readonly<Record<Proposal['kind'], (set: string) => string>> = {
  name: (set) => `Keep the name and the key of ${set}`,
  key: (set) => `A key for ${set}`,
  schema: (set) => `A schema for ${set}`,
  link: (set) => `A relation to ${set}`,
  filter: (set) => `A default that filters ${set}`,
  page: (set) => `Pages and filters of ${set}`,
};

/** The most suggestions that are shown at a time. */
const MOST_SUGGESTIONS = 200;

/** The suggestions for a document, one decision each, without those that the overlay has accepted. */
export function suggestActions(
  description: OpenApiDescription,
  written: readonly OverlayAction[],
): readonly Suggestion[] {
  const { found, doubtful } = findProposals(description);
  const accepted = new Set(written.map((action) => action.description));
  // Relations have a tab of their own, which knows what data has shown.
  const all = [...doubtful, ...found]
    .filter(({ kind }) => kind !== 'link')
    .map((proposal): Suggestion => {
      const { kind, set, pointer, update, note } = proposal;
      const target = targetOf(description, pointer);
      const title = TITLES[kind](set);
      return { kind, title, reason: note, action: { target, description: `Suggested: ${title}`, update } };
    });
  return all.filter(({ action }) => !accepted.has(action.description)).slice(0, MOST_SUGGESTIONS);
}
