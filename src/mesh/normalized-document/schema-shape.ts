import { type DocumentNode, member } from '../../openapi/document/document-node.ts';
import {
  isArraySchema,
  restNode,
  type Schema,
  type SchemaReader,
  schemaProperties,
} from '../../openapi/schemas/schema.ts';
import { isEnum } from './scalar-schema.ts';

/** Whether Mesh makes a type with a name of it, which must be one type wherever it is referred to. */
export function hasName(schema: Schema): boolean {
  if (isArraySchema(schema)) return false;
  return schemaProperties(schema).size > 0 || schema.alternatives.length > 0 || isEnum(schema);
}

/** What it is all of may have it for a property. */
export function mergesOthers({ identity, layers }: Schema): boolean {
  return layers.some(({ pointer }) => pointer !== identity && !pointer.startsWith(`${identity}/`));
}

/** It is one type for what is sent and for what comes. */
export function isComponentEnum(schema: Schema): boolean {
  return schema.identity.startsWith('/components/schemas/') && isEnum(schema);
}

export function mayBeNull(schema: Schema, read: SchemaReader): boolean {
  return schema.nullable || schema.alternatives.some((branch) => read(branch)?.nullable === true);
}

/** A list of lists of lists, and so on. */
export function endsInItself(schema: Schema, read: SchemaReader): boolean {
  const seen = new Set<string>();
  for (let inner: Schema | undefined = schema; inner !== undefined && isArraySchema(inner); ) {
    if (seen.has(inner.identity)) return true;
    seen.add(inner.identity);
    const node: DocumentNode | undefined = restNode(inner);
    inner = node && read(node);
  }
  return false;
}

export function isOpen(schema: Schema): boolean {
  const said = schema.layers.flatMap((layer) => member(layer, 'additionalProperties') ?? []);
  return said.length > 0 && said.every(({ value }) => value !== false);
}
