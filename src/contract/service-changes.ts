import { byName } from '../model/maps.ts';
import type { ServiceChange, ServiceShape, ShapedResource, ShapedType } from './api-report.ts';

/** Compares the parts that clients depend on: removals are breaking, additions are compatible. */
export function compareServices(earlier: ServiceShape, later: ServiceShape): readonly ServiceChange[] {
  const [before, after] = [byName(earlier.resources), byName(later.resources)];
  const types = byName(later.types);
  return [
    ...lostAndFound(earlier.resources, after, ({ name }) => `${name} is no longer served`, 'breaking'),
    ...lostAndFound(later.resources, before, ({ name }) => `${name} is new`, 'compatible'),
    ...later.resources.filter(({ name }) => !before.has(name)).flatMap(grantsBrought),
    ...earlier.resources.flatMap((resource) =>
      compareWith(after.get(resource.name), resource, compareResources),
    ),
    ...earlier.types.flatMap((type) => compareWith(types.get(type.name), type, compareTypes)),
  ];
}

function lostAndFound(
  all: readonly ShapedResource[],
  others: ReadonlyMap<string, ShapedResource>,
  tell: (resource: ShapedResource) => string,
  kind: ServiceChange['kind'],
): readonly ServiceChange[] {
  return all.filter(({ name }) => !others.has(name)).map((each) => ({ kind, message: `${tell(each)}.` }));
}

function compareWith<Shape>(
  later: Shape | undefined,
  earlier: Shape,
  compare: (earlier: Shape, later: Shape) => readonly ServiceChange[],
): readonly ServiceChange[] {
  return later === undefined ? [] : compare(earlier, later);
}

function compareResources(earlier: ShapedResource, later: ShapedResource): readonly ServiceChange[] {
  const { name } = earlier;
  const roles = [...new Set([...Object.keys(earlier.grants), ...Object.keys(later.grants)])];
  return [
    ...(earlier.type === later.type
      ? []
      : [breaking(`${name} holds ${later.type} instead of ${earlier.type}`)]),
    ...differences(earlier.rights, later.rights, {
      lost: (right) => `${name} has no ${right} any longer`,
      found: (right) => `${name} has ${right} now`,
    }),
    ...roles.flatMap((role) =>
      differences(grantsOf(earlier, role), grantsOf(later, role), {
        lost: (right) => `${role} may no longer ${right} ${name}`,
        found: (right) => `${role} may ${right} ${name} now`,
        foundKind: 'granting',
      }),
    ),
  ];
}

/** The permissions of roles on new resources. */
export function grantsBrought({
  name,
  grants,
}: Pick<ShapedResource, 'name' | 'grants'>): readonly ServiceChange[] {
  return Object.entries(grants).flatMap(([role, rights]) =>
    rights.map((right) => ({ kind: 'granting' as const, message: `${role} may ${right} ${name} now.` })),
  );
}

function grantsOf({ grants }: ShapedResource, role: string): readonly string[] {
  return (Object.hasOwn(grants, role) ? grants[role] : undefined) ?? [];
}

function compareTypes(earlier: ShapedType, later: ShapedType): readonly ServiceChange[] {
  const { name, properties } = earlier;
  const isSameKey = earlier.key.join() === later.key.join();
  const retyped = Object.entries(properties).flatMap(([property, type]) => {
    const now = Object.hasOwn(later.properties, property) ? later.properties[property] : undefined;
    return now === undefined || now === type
      ? []
      : [breaking(`${name}.${property} is ${now} instead of ${type}`)];
  });
  return [
    ...(isSameKey ? [] : [breaking(`${name} is found by ${keyText(later)} instead of ${keyText(earlier)}`)]),
    ...retyped,
    ...differences(Object.keys(properties), Object.keys(later.properties), {
      lost: (property) => `${name}.${property} is no longer there`,
      found: (property) => `${name}.${property} is new`,
    }),
  ];
}

function keyText({ key }: ShapedType): string {
  return key.join(', ') || 'nothing';
}

function breaking(told: string): ServiceChange {
  return { kind: 'breaking', message: `${told}.` };
}

interface Difference {
  readonly lost: (name: string) => string;
  readonly found: (name: string) => string;
  readonly foundKind?: ServiceChange['kind'];
}

function differences(
  earlier: readonly string[],
  later: readonly string[],
  { lost, found, foundKind = 'compatible' }: Difference,
): readonly ServiceChange[] {
  const [before, after] = [new Set(earlier), new Set(later)];
  return [
    ...earlier.filter((each) => !after.has(each)).map((each) => breaking(lost(each))),
    ...later
      .filter((each) => !before.has(each))
      .map((each) => ({ kind: foundKind, message: `${found(each)}.` })),
  ];
}

export function breakingMessages(changes: readonly ServiceChange[]): readonly string[] {
  return changes.filter(({ kind }) => kind === 'breaking').map(({ message }) => message);
}

export function grantingMessages(changes: readonly ServiceChange[]): readonly string[] {
  return changes.filter(({ kind }) => kind === 'granting').map(({ message }) => message);
}

/** The messages that an administrator has to confirm: breaking changes and, with roles, new permissions. */
export function messagesToConfirm(
  changes: readonly ServiceChange[],
  needsGrants: boolean,
): readonly string[] {
  return [...breakingMessages(changes), ...(needsGrants ? grantingMessages(changes) : [])];
}

function effectOf(changes: readonly ServiceChange[]): string {
  const isLoss = breakingMessages(changes).length > 0;
  return isLoss ? 'take something away from users' : 'give users more rights';
}

/** Maximum number of changes in a message. */
const MOST_SHOWN = 10;

/** Thrown for edited files with breaking changes or new permissions that are not confirmed. */
export class UnconfirmedChange extends Error {
  readonly changes: readonly ServiceChange[];

  /** `toConfirm`: the messages that have to be confirmed. */
  constructor(changes: readonly ServiceChange[], toConfirm: readonly string[]) {
    const shown = toConfirm.slice(0, MOST_SHOWN).map((message) => `\n  - ${message}`);
    const more = toConfirm.length > MOST_SHOWN ? `\n  - and ${toConfirm.length - MOST_SHOWN} more.` : '';
    super(
      `The edited files would ${effectOf(changes)}:${shown.join('')}${more}\nTo confirm this, choose "Fetch operations" on the screen of the API, or restart the gateway.`,
    );
    this.changes = changes;
  }
}
