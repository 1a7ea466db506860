import { type Property, type StructuredType, typeNamed } from '../../service/metadata.ts';
import { type Draft, emptyDraft, inputProperties, itemProperty, type StructureDraft } from './draft.ts';
import { readInput } from './read-input.ts';

/** Messages by the paths of what they are about, such as `Address/City` and `Languages/0`. */
export type Problems = Readonly<Record<string, string>>;

/** What a draft says, as JSON text; undefined where it says nothing. */
interface Reading {
  readonly json?: string | undefined;
  readonly problems: Problems;
}

/** Reads all the inputs of a form; what is left empty is not in the object. */
export function readStructure(type: StructuredType, draft: StructureDraft, path = ''): Reading {
  const chosen = typeNamed(type, draft.type);
  if (chosen === undefined) return { problems: { [`${path}@type`]: 'Choose one.' } };
  const readings = inputProperties(chosen).map((property) => {
    const member = draft.members[property.name] ?? emptyDraft(property);
    return [property.name, readProperty(property, member, path + property.name)] as const;
  });
  const members = readings.flatMap(([name, { json }]) =>
    json === undefined ? [] : [`${JSON.stringify(name)}:${json}`],
  );
  // The declared type goes without saying (JSON Format 4.01, 4.5.3).
  const control = chosen.name === type.name ? [] : [`"@odata.type":"#${chosen.name}"`];
  return {
    json: `{${[...control, ...members].join(',')}}`,
    problems: allProblems(readings.map(([, one]) => one)),
  };
}

function readProperty(property: Property, draft: Draft, path: string): Reading {
  switch (draft.kind) {
    case 'absent':
      return { problems: {} };
    case 'structure':
      return property.type.kind === 'complex'
        ? readStructure(property.type.structure, draft, `${path}/`)
        : { problems: {} };
    case 'items':
      return readItems(property, draft.items, path);
    case 'text':
      return readText(property, draft.text, path);
  }
}

/** An empty collection is a value, unless there may be none. */
function readItems(property: Property, items: readonly { readonly draft: Draft }[], path: string): Reading {
  if (items.length === 0) return { json: property.nullable ? undefined : '[]', problems: {} };
  const readings = items.map(({ draft }, index) =>
    readProperty(itemProperty(property), draft, `${path}/${index}`),
  );
  return { json: `[${readings.map(({ json }) => json).join(',')}]`, problems: allProblems(readings) };
}

function readText(property: Property, text: string, path: string): Reading {
  const read = readInput(property, text);
  if (read.kind === 'problem') return { problems: { [path]: read.message } };
  return { json: read.kind === 'value' ? read.json : undefined, problems: {} };
}

function allProblems(readings: readonly Reading[]): Problems {
  return Object.assign({}, ...readings.map(({ problems }) => problems));
}
