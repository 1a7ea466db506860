import { useInfiniteQuery } from '@tanstack/react-query';
import { createContext, type KeyboardEvent, useContext, useEffect, useId, useState } from 'react';
import { Link } from 'react-router';
import { relatedAddress } from '../../service/addresses.ts';
import { isEntity, valueAt, writeValue } from '../../service/entity.ts';
import type { Reference, References } from '../../service/metadata.ts';
import { dataUrl, requestJson } from '../../service/request.ts';
import { Field } from '../inputs.tsx';
import { hintOf, type InputFieldProps } from './input-field.tsx';
import { choicesUrl, PAGE_SIZE } from './reference-query.ts';

/** The foreign keys of the entity that a form shows. */
export const ReferencesContext = createContext<References>(new Map());

/** The entity set that the property at a path refers to, if the user may view it. */
export function useReference(path: string): Reference | undefined {
  return useContext(ReferencesContext).get(path);
}

interface RelatedLinkProps {
  readonly reference: Reference;
  readonly value: unknown;
}

/** A link to the entity that a foreign key refers to. */
export function RelatedLink({ reference, value }: RelatedLinkProps) {
  if (value === null || value === undefined || value === '') return null;
  return (
    <Link className="related" to={relatedAddress(reference, value)}>
      Open {reference.label} {writeValue(value)}
    </Link>
  );
}

interface Option {
  readonly key: string;
  readonly title: string;
}

/** Pause in typing before choices are requested, in milliseconds. */
const REST_MS = 300;

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

function useChoices(reference: Reference, text: string, isOpen: boolean) {
  const typed = useSettled(text.trim());
  return useInfiniteQuery({
    queryKey: ['choices', reference.entitySet, reference.key, typed],
    queryFn: async ({ pageParam, signal }) => {
      const body = await requestJson(dataUrl(choicesUrl(reference, typed, pageParam)), { signal });
      const value = isEntity(body) && Array.isArray(body['value']) ? body['value'].filter(isEntity) : [];
      return value.map(
        (entity): Option => ({
          key: writeValue(valueAt(entity, reference.key)),
          title: reference.title === undefined ? '' : writeValue(valueAt(entity, reference.title)),
        }),
      );
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length < PAGE_SIZE ? undefined : pages.length * PAGE_SIZE),
    enabled: isOpen,
    retry: false,
  });
}

interface ReferenceFieldProps extends InputFieldProps {
  readonly reference: Reference;
}

/** An input for a foreign key that offers the related entities while typing. Any key may be typed. */
export function ReferenceField({ reference, property, text, problem, onChange }: ReferenceFieldProps) {
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const listId = useId();
  const choices = useChoices(reference, text, isOpen);
  const options = choices.data?.pages.flat() ?? [];
  const isShown = isOpen && options.length > 0;
  const choose = ({ key }: Option): void => {
    onChange(key);
    setOpen(false);
    setActive(-1);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const option = options[active];
    if (event.key === 'Escape') setOpen(false);
    else if (event.key === 'Enter' && isShown && option !== undefined) {
      event.preventDefault();
      choose(option);
    } else if (step !== 0) {
      event.preventDefault();
      setOpen(true);
      setActive(Math.max(0, Math.min(options.length - 1, active + step)));
      if (active + step >= options.length && choices.hasNextPage) choices.fetchNextPage();
    }
  };
  return (
    <Field label={property.label} isRequired={!property.nullable} hint={hintOf(property)} problem={problem}>
      {(attributes) => (
        <div className="reference">
          <input
            type="text"
            autoComplete="off"
            {...attributes}
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={isShown}
            aria-controls={listId}
            aria-activedescendant={isShown && active >= 0 ? `${listId}-${active}` : undefined}
            value={text}
            onFocus={() => setOpen(true)}
            onBlur={() => setOpen(false)}
            onKeyDown={onKeyDown}
            onChange={({ target }) => {
              setOpen(true);
              setActive(-1);
              onChange(target.value);
            }}
          />
          <div className="choices card" hidden={!isShown}>
            <div id={listId} role="listbox" aria-label={reference.label}>
              {options.map((option, index) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys.
                // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus.
                <div
                  key={option.key}
                  id={`${listId}-${index}`}
                  role="option"
                  aria-selected={index === active}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => choose(option)}
                >
                  <span className="item-key">{option.key}</span> {option.title}
                </div>
              ))}
            </div>
            {choices.hasNextPage && (
              <button
                type="button"
                tabIndex={-1}
                disabled={choices.isFetchingNextPage}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choices.fetchNextPage()}
              >
                Show more
              </button>
            )}
          </div>
        </div>
      )}
    </Field>
  );
}
