/** What a context URL describes (Part 1, 10): an entity set or one entity of it, whole or projected. */
export interface ContextFragment {
  readonly entitySet: string;
  /** The names in `$select`; undefined where the whole entity is shown. */
  readonly selected: readonly string[] | undefined;
  readonly entity: boolean;
}

/** The context URL of data below a service root (Part 1, 10.2, 10.3, 10.7, 10.8). */
export function contextUrl(serviceRoot: string, fragment: ContextFragment): string {
  const projection = fragment.selected === undefined ? '' : `(${fragment.selected.join(',')})`;
  return `${serviceRoot}/$metadata#${fragment.entitySet}${projection}${fragment.entity ? '/$entity' : ''}`;
}
