import { members } from '../document/document-node.ts';
import type { Schema } from './schema.ts';

const REMARKS =
  /^(?:title|description|default|examples?|deprecated|readOnly|writeOnly|nullable|externalDocs|xml|x-.*)$/;

/** Whether it says nothing of what values there are, as in `allOf: [{ $ref: … }, { description: … }]`. */
export function isRemark(schema: Schema): boolean {
  return saysOnly(schema, REMARKS);
}

const TYPE_OR_REMARK = new RegExp(`^type$|${REMARKS.source}`);

/** Whether it says no more of values than of which JSON type they are. */
export function isPlain(schema: Schema): boolean {
  return saysOnly(schema, TYPE_OR_REMARK);
}

function saysOnly({ layers }: Schema, keywords: RegExp): boolean {
  return layers.every((layer) => members(layer).every(([name]) => keywords.test(name)));
}
