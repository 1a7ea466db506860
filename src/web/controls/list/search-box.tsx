import { useEffect, useRef, useState } from 'react';

interface SearchBoxProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Pause in typing before the search starts, in milliseconds. */
const REST_MS = 250;

export function SearchBox({ value, onChange }: SearchBoxProps) {
  const [text, setText] = useState(value);
  const lastQuery = useRef(value);
  useEffect(() => {
    if (value === lastQuery.current) return;
    // The URL was changed by something else than typing.
    lastQuery.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    const typed = text.trim();
    if (typed === lastQuery.current) return;
    const timer = setTimeout(() => {
      lastQuery.current = typed;
      onChange(typed);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [text, onChange]);
  return (
    <label className="search">
      <span className="visually-hidden">Search</span>
      <input
        type="search"
        placeholder="Search"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </label>
  );
}
