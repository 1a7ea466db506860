import type { Model } from '../../../model/model.ts';
import type { ODataVersion } from '../negotiation/format.ts';
import { csdlDocument, csdlJsonText } from './csdl-json.ts';
import type { Json, JsonObject } from './csdl-members.ts';
import { csdlXmlElement } from './csdl-xml.ts';
import {
  ALL_TERMS,
  type IncludesTerm,
  keptTerms,
  NO_TERMS,
  type RequestedAnnotations,
  withRequested,
} from './metadata-size.ts';
import { type CsdlForm, PUBLISHED_VOCABULARIES } from './vocabulary-uri.ts';
import { writeXml } from './xml-element.ts';

/** A form of `$metadata`. */
export interface MetadataForm {
  readonly form: CsdlForm;
  readonly version: ODataVersion;
  readonly annotations: RequestedAnnotations;
}

/**
 * Writes `$metadata` as it is served: without indentation, and without the annotations that a large service leaves out
 * unless the client asks for them.
 */
export function writeServedMetadata(
  model: Model,
  { form, version, annotations }: MetadataForm,
  folder = PUBLISHED_VOCABULARIES,
): string {
  const written = (includes: IncludesTerm) => {
    const document = csdlDocument(model, version, folder, form, includes);
    const text = form === 'xml' ? writeXml(csdlXmlElement(document), '') : csdlJsonText(document, folder);
    return { document, text };
  };
  if (annotations === 'none') return written(NO_TERMS).text;
  const { document, text } = written(ALL_TERMS);
  const kept = keptTerms(text.length, model.entitySets.size, () =>
    annotationSizes(document, form === 'xml' ? xmlSize : jsonSize),
  );
  const includes = withRequested(kept, annotations);
  return includes === ALL_TERMS ? text : written(includes).text;
}

const TERM = /@(\w+\.\w+)/;

/** The characters of the annotations of a document by term. */
function annotationSizes(
  document: JsonObject,
  sizeOf: (name: string, value: Json) => number,
): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  const visit = (value: Json | undefined): void => {
    if (typeof value !== 'object') return;
    for (const [name, inner] of Object.entries(value)) {
      const [, term] = TERM.exec(name) ?? [];
      if (inner === undefined) continue;
      if (term === undefined) visit(inner);
      else sizes.set(term, (sizes.get(term) ?? 0) + sizeOf(name, inner));
    }
  };
  visit(document);
  return sizes;
}

function jsonSize(name: string, value: Json): number {
  return name.length + JSON.stringify(value).length + 4;
}

/** The size of an annotation in XML, from below: records and collections have two tags for each pair of brackets in JSON. */
function xmlSize(name: string, value: Json): number {
  return name.length + 30 + valueSize(value);
}

function valueSize(value: Json): number {
  if (typeof value !== 'object') return String(value).length;
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + valueSize(item) + 19, 27);
  const members = Object.entries(value);
  return members.reduce((sum, [name, item]) => sum + name.length + 36 + valueSize(item ?? ''), 20);
}
