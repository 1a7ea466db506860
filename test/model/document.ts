import { parse } from 'yaml';
import { type Finding, modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import type { Model } from '../../src/model/model.ts';
import { writeCsdlXml } from '../../src/odata/payload/csdl/csdl-xml.ts';

export interface Derived {
  readonly model: Model;
  /** Each finding as `severity pointer message`, those about grants left out. */
  readonly findings: readonly string[];
  /** Findings about grants. */
  readonly ungranted: readonly string[];
  /** The lines of the CSDL document, without indentation. */
  readonly csdl: readonly string[];
}

/** Derives the model of a strict document of those paths and schemas, written in YAML. */
export function derive(paths: string, schemas = '{}', more: object = {}): Derived {
  return deriveDocument({
    openapi: '3.1.0',
    info: { title: 'Test', version: '1' },
    ...strictly(more),
    paths: parse(paths),
    components: { schemas: parse(schemas) },
  });
}

function strictly({ 'x-odata': settings, ...more }: { readonly 'x-odata'?: object }): object {
  return { 'x-odata': { strict: true, ...settings }, ...more };
}

export function deriveDocument(document: unknown): Derived {
  const { model, report } = modelFromOpenApi([{ name: 'Test', document }]);
  const findings = report.filter((finding) => !isAboutGrants(finding)).map(written);
  return { model, findings, ungranted: report.filter(isAboutGrants).map(written), csdl: csdlLines(model) };
}

function isAboutGrants({ message }: Finding): boolean {
  return message.startsWith('Nobody may');
}

function written({ severity, pointer, message }: Finding): string {
  return `${severity} ${pointer} ${message}`;
}

function csdlLines(model: Model): readonly string[] {
  return writeCsdlXml(model, '4.01')
    .split('\n')
    .map((line) => line.trim());
}

/** The paths of an entity set: `GET path`, `GET path/{id}`, of the schema with that name. */
export function setPaths(path: string, schema: string, more = ''): string {
  return `
${path}:
  get: { operationId: list${schema}, responses: ${answer(`{ type: array, items: ${reference(schema)} }`)} }
${path}/{id}:
  get: { operationId: read${schema}, parameters: [${pathParameter('id')}], responses: ${answer(reference(schema))} }
${more}`;
}

export function answer(schema: string): string {
  return `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
}

export function reference(schema: string): string {
  return `{ $ref: '#/components/schemas/${schema}' }`;
}

export function pathParameter(name: string): string {
  return `{ name: ${name}, in: path, required: true, schema: { type: string } }`;
}

/** The model of one entity set `Thing` with an `id` and those properties. */
export function deriveThing(properties: string, schemas = '', required: readonly string[] = ['id']): Derived {
  const thing = `
Thing:
  type: object
  required: [${required.join()}]
  properties:
    id: { type: string }
${indent(properties, 4)}
${schemas}`;
  return derive(setPaths('/things', 'Thing'), thing);
}

function indent(lines: string, by: number): string {
  return lines
    .trim()
    .split('\n')
    .map((line) => ' '.repeat(by) + line)
    .join('\n');
}
