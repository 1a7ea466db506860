import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { quantity } from '../../controls/quantity.ts';
import { Section } from '../../controls/section.tsx';
import { previewActions, readSuggestions, type Suggestion } from '../../service/registry.ts';
import { Loaded } from '../../state/loaded.tsx';
import { LoadingRows } from '../../state/loading.tsx';
import { Notice } from '../../state/notice.tsx';
import { ImprovementView } from './improvement-view.tsx';
import type { TabProps } from './use-api.ts';

/** The suggestions for the overlay, each with the tables before and after. */
export function SuggestionsTab({ api: { name }, isWritable }: TabProps) {
  const known = useQuery({
    queryKey: ['suggestions', name],
    queryFn: ({ signal }) => readSuggestions(name, signal),
  });
  return (
    <Section title="Suggestions">
      <p>
        The document leaves these to a person who knows the API. An accepted suggestion is written to the
        overlay beside the document; the document is not changed.
      </p>
      <Loaded query={known} what="list of suggestions" pending={<LoadingRows />}>
        {(suggestions) =>
          suggestions.length === 0 ? (
            <Notice title="No suggestions">Nothing is left to decide.</Notice>
          ) : (
            <>
              <p role="status" className="hint">
                {quantity(suggestions.length, 'suggestion')}
              </p>
              <ul className="items" aria-label="Suggestions">
                {suggestions.map((suggestion) => (
                  <SuggestionItem
                    key={suggestion.action.description}
                    api={name}
                    suggestion={suggestion}
                    isWritable={isWritable}
                  />
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

interface SuggestionItemProps {
  readonly api: string;
  readonly suggestion: Suggestion;
  readonly isWritable: boolean;
}

function SuggestionItem({ api, suggestion, isWritable }: SuggestionItemProps) {
  const [isOpen, setOpen] = useState(false);
  const { title, reason, action } = suggestion;
  return (
    <li className="item suggestion">
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{title}</summary>
        {reason !== '' && <p>{reason}</p>}
        <p className="hint">
          <code>{action.target}</code>
        </p>
        {isOpen && isWritable && <Preview api={api} suggestion={suggestion} />}
      </details>
    </li>
  );
}

function Preview({ api, suggestion: { action } }: Omit<SuggestionItemProps, 'isWritable'>) {
  const preview = useQuery({
    queryKey: ['preview', api, action],
    queryFn: () => previewActions(api, [action]),
    gcTime: 0,
  });
  return (
    <Loaded query={preview} what="preview" pending={<LoadingRows />}>
      {(improvement) => <ImprovementView api={api} improvement={improvement} onAccepted={() => undefined} />}
    </Loaded>
  );
}
