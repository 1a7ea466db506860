import type { Model } from '../../model/model.ts';
import type { Finding } from '../../openapi/document/finding.ts';

/** The resources that were added and removed at the service root. */
interface ModelChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export function compareModels(earlier: Model, later: Model): ModelChange {
  const [before, after] = [resourceNames(earlier), resourceNames(later)];
  return {
    added: [...after].filter((name) => !before.has(name)),
    removed: [...before].filter((name) => !after.has(name)),
  };
}

function resourceNames({ entitySets, singletons, imports }: Model): ReadonlySet<string> {
  return new Set([...entitySets.keys(), ...singletons.keys(), ...imports.keys()]);
}

export function newFindings(earlier: readonly Finding[], later: readonly Finding[]): readonly Finding[] {
  const known = new Set(earlier.map(identityOf));
  return later.filter((finding) => !known.has(identityOf(finding)));
}

function identityOf({ source, pointer, message }: Finding): string {
  return `${source}\n${pointer}\n${message}`;
}
