import type { Model } from '../../../model/model.ts';
import { isListed, isListedImport } from '../csdl/csdl-model.ts';
import { controlPrefix, type JsonFormat, type ODataVersion } from '../negotiation/format.ts';

/** A resource that a GET at the service root returns. */
interface Listed {
  readonly name: string;
  readonly title: string | undefined;
  readonly kind: 'EntitySet' | 'Singleton' | 'FunctionImport';
  readonly url: string;
}

/** The service document (JSON Format, 5). */
export function writeServiceDocument(
  model: Model,
  serviceRoot: string,
  format: JsonFormat,
  version: ODataVersion,
): string {
  const context = { [`${controlPrefix(version)}context`]: `${serviceRoot}/$metadata` };
  return JSON.stringify({ ...(format.metadata !== 'none' && context), value: listed(model) });
}

function listed(model: Model): readonly Listed[] {
  return [
    ...[...model.entitySets.values()].filter(isListed).map((set) => entry(set, 'EntitySet')),
    ...[...model.singletons.values()].map((singleton) => entry(singleton, 'Singleton')),
    ...[...model.imports.values()]
      .filter((each) => isListedImport(model, each))
      .map((each) => entry(each, 'FunctionImport')),
  ];
}

function entry({ name, title }: { name: string; title?: string | undefined }, kind: Listed['kind']): Listed {
  return { name, title, kind, url: encodeURIComponent(name) };
}
