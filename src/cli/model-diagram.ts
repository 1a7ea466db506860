import type { EntityType, NavigationProperty } from '../model/edm.ts';
import type { Model } from '../model/model.ts';

/** The entity types and their relations as a Mermaid diagram; two directions of one relationship are one line. */
export function writeDiagram(model: Model): string {
  const types = [...model.entityTypes.values()];
  const relations = types.flatMap((type) =>
    [...type.navigationProperties.values()].flatMap((property) => relationLine(type, property) ?? []),
  );
  return ['erDiagram', ...types.flatMap(entityLines), ...relations, ''].join('\n');
}

/** The key, and the properties that are foreign keys. */
function entityLines({
  name,
  key,
  structuralProperties,
  navigationProperties,
}: EntityType): readonly string[] {
  const foreign = [...navigationProperties.values()].flatMap(({ constraints }) =>
    constraints.map(({ property }) => property),
  );
  const shown = [...structuralProperties.values()].filter(
    ({ name: each, aliasOf }) => key.includes(each) || (aliasOf === undefined && foreign.includes(each)),
  );
  if (shown.length === 0) return [`  ${nodeName(name)}`];
  const rows = shown.map((property) => {
    const marks = [
      ...(key.includes(property.name) ? ['PK'] : []),
      ...(foreign.includes(property.name) ? ['FK'] : []),
    ];
    return `    ${attributeName(property.type.name.replace(/^Edm\./, ''))} ${attributeName(property.name)} ${marks.join(', ')}`;
  });
  return [`  ${nodeName(name)} {`, ...rows, '  }'];
}

function relationLine(owner: EntityType, property: NavigationProperty): string | undefined {
  const { name, entityType, collection, nullable, partner } = property;
  // The side with the foreign key, or else the first one, draws the line.
  const isOther =
    partner !== undefined && property.constraints.length === 0 && partner.constraints.length > 0;
  const isSecond =
    partner !== undefined &&
    partner.constraints.length === property.constraints.length &&
    [entityType.name, partner.name].join() < [owner.name, name].join();
  if (isOther || isSecond) return undefined;
  const to = collection ? 'o{' : nullable ? 'o|' : '||';
  const isMany =
    partner?.collection ?? (property.containsTarget === false && property.constraints.length > 0);
  const from = isMany
    ? '}o'
    : property.containsTarget
      ? '||'
      : collection && partner === undefined
        ? '}o'
        : '|o';
  const label = partner === undefined ? name : `${name} / ${partner.name}`;
  return `  ${nodeName(owner.name)} ${from}--${to} ${nodeName(entityType.name)} : "${label}"`;
}

/** Mermaid takes any name between quotation marks. */
function nodeName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `"${name}"`;
}

/** Attributes have no quotation marks: other letters than those of ASCII become `_`. */
function attributeName(name: string): string {
  return name.replace(/[^\w-]/gu, '_').replace(/^(?=[\d-])/, '_');
}
