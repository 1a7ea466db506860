import type { ComponentType } from 'react';
import { addItem, type Draft, type Item, type ItemsDraft, itemProperty } from './draft.ts';
import { GroupField } from './group-field.tsx';
import type { PropertyInputProps } from './property-input-props.ts';

interface CollectionInputProps extends PropertyInputProps {
  readonly draft: ItemsDraft;
  /** The input for each item. */
  readonly Input: ComponentType<PropertyInputProps>;
}

/** An input for each item of a collection, to which items are added and from which they are removed. */
export function CollectionInput({ property, draft, problems, path, onChange, Input }: CollectionInputProps) {
  const { items } = draft;
  const put = (next: readonly Item[]): void => onChange({ kind: 'items', items: next });
  const change = (changed: Item, to: Draft): void =>
    put(items.map((item) => (item === changed ? { ...item, draft: to } : item)));
  return (
    <GroupField property={property} problem={problems[path]}>
      {items.map((item, index) => {
        const label = `${property.label} ${index + 1}`;
        return (
          <div className="collection-item" key={item.id}>
            <Input
              property={{ ...itemProperty(property), label }}
              draft={item.draft}
              problems={problems}
              path={`${path}/${index}`}
              onChange={(to) => change(item, to)}
            />
            <RemoveButton label={label} remove={() => put(items.filter((other) => other !== item))} />
          </div>
        );
      })}
      <button type="button" className="add" onClick={() => onChange(addItem(property, draft))}>
        Add to {property.label}
      </button>
    </GroupField>
  );
}

function RemoveButton({ label, remove }: { readonly label: string; readonly remove: () => void }) {
  return (
    <button type="button" className="remove" aria-label={`Remove ${label}`} onClick={remove}>
      Remove
    </button>
  );
}
