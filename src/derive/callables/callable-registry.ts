import type { DescribedCallable, DescribedCallableImport } from '../../model/description.ts';
import { pointerName } from '../../model/names.ts';
import type { NameChoice } from '../names/unique-name.ts';
import type { Derivation } from '../operations/derivation.ts';
import { sharedGrants } from '../sets/grants.ts';
import { reportUncalled } from '../sets/unused-resources.ts';

/** The functions and actions of a document as they are found. */
export interface CallableRegistry {
  /**
   * Adds an overload under the first of the names that it may have. The same at another place of the
   * same type is one overload that calls several operations.
   */
  readonly add: (
    callable: DescribedCallable,
    names: readonly string[],
    root: ImportSettings,
    pointer: string,
  ) => void;
  readonly callables: () => readonly DescribedCallable[];
  readonly imports: () => readonly DescribedCallableImport[];
}

/** The members of an unbound operation's import, apart from its name. */
type ImportSettings = Pick<DescribedCallableImport, 'entitySet' | 'grants'>;

export function callableRegistry(derivation: Derivation): CallableRegistry {
  const names = new Map<string, string>();
  const callables: DescribedCallable[] = [];
  const imports = new Map<string, DescribedCallableImport>();

  /** A function and an action, or a type, do not share a name; overloads do (CSDL 4.01, 5). */
  const nameInModel = (choice: NameChoice, kind: DescribedCallable['kind'], pointer: string): string => {
    const [name] = choice;
    const known = names.get(`${kind} ${name}`);
    const claimed = known ?? derivation.claimTypeName(choice, pointer);
    names.set(`${kind} ${name}`, claimed);
    return claimed;
  };

  /** All overloads share one import, with the grants that they have in common. */
  const addImport = (
    name: string,
    kind: DescribedCallable['kind'],
    settings: ImportSettings,
    pointer: string,
  ) => {
    const known = imports.get(name);
    if (known !== undefined) {
      imports.set(name, { ...known, grants: sharedGrants(known.grants, settings.grants) });
      return;
    }
    const resource = derivation.claimResourceName(choiceOf(name, [], pointer), pointer);
    imports.set(name, { name: resource, callable: name, kind, ...settings });
    reportUncalled(derivation.source.report, resource, settings.grants, pointer);
  };

  return {
    add: (callable, candidates, settings, pointer) => {
      const rivals = (name: string) =>
        callables.filter((other) => isRival(other, callable, names.get(`${callable.kind} ${name}`)));
      const wanted = candidates.find((name) =>
        rivals(name).every((rival) => isAllowedBeside(rival, callable)),
      );
      if (wanted === undefined) {
        const message = 'The operation is left out: another one has its name, and they cannot be overloads';
        derivation.source.report('warning', pointer, message);
        return;
      }
      const name = nameInModel(choiceOf(wanted, candidates, pointer), callable.kind, pointer);
      const same = callables.findIndex(
        (other) => isRival(other, callable, name) && signature(other) === signature(callable),
      );
      const known = callables[same];
      if (known !== undefined) {
        callables[same] = { ...known, calls: [...known.calls, ...callable.calls] };
        return;
      }
      callables.push({ ...callable, name });
      if (callable.binding === undefined) addImport(name, callable.kind, settings, pointer);
    },
    callables: () => callables,
    imports: () => [...imports.values()],
  };
}

/** A name, and those that tell a function or an action apart from what else has that. */
function choiceOf(name: string, candidates: readonly string[], pointer: string): NameChoice {
  const others = candidates.slice(candidates.indexOf(name) + 1);
  return [name, ...others, pointerName(pointer) ?? name];
}

/** Whether two callables are of one kind and name, and bound to the same. */
function isRival(other: DescribedCallable, callable: DescribedCallable, name: string | undefined): boolean {
  if (other.name !== name || other.kind !== callable.kind) return false;
  return (
    other.binding?.entityType === callable.binding?.entityType &&
    other.binding?.collection === callable.binding?.collection
  );
}

/**
 * Overloads of functions may differ in their parameters, but not in the return type; overloads of actions
 * only in the binding type (CSDL 4.01, 12.2 and 12.4). An identical callable at another path is not an
 * overload.
 */
function isAllowedBeside(rival: DescribedCallable, callable: DescribedCallable): boolean {
  if (signature(rival) === signature(callable)) return isElsewhere(rival, callable);
  const isSameResult = JSON.stringify(rival.returns) === JSON.stringify(callable.returns);
  return callable.kind === 'function' && isSameResult && parameterNames(rival) !== parameterNames(callable);
}

function isElsewhere(rival: DescribedCallable, callable: DescribedCallable): boolean {
  const resources = rival.calls.map(({ resource }) => resource);
  return callable.calls.every(({ resource }) => resource !== undefined && !resources.includes(resource));
}

function signature({ parameters, returns }: DescribedCallable): string {
  return JSON.stringify([parameters.map(({ name, type, collection }) => [name, type, collection]), returns]);
}

function parameterNames({ parameters }: DescribedCallable): string {
  return parameters
    .map(({ name }) => name)
    .toSorted()
    .join();
}
