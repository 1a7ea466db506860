import { useEffect, useRef, useState } from 'react';

interface SearchBoxProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** How long typing must rest before it is searched for. */
const REST_MS = 250;

export function SearchBox({ value, onChange }: SearchBoxProps) {
  const [text, setText] = useState(value);
  const asked = useRef(value);
  useEffect(() => {
    if (value === asked.current) return;
    // The URL has changed otherwise than by typing here.
    asked.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    const typed = text.trim();
    if (typed === asked.current) return;
    const timer = setTimeout(() => {
      asked.current = typed;
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
