import { type Row, TYPE } from '../../contract/row.ts';
import { type EntityType, isA, typeNamed } from '../../model/edm.ts';

/** Whether a row of a declared type is of the wanted one, which its own may be derived from. */
export function isRowOf(declared: EntityType, row: Row, wanted: EntityType): boolean {
  const type = row[TYPE] === undefined ? declared : typeNamed(declared, row[TYPE]);
  return type !== undefined && isA(type, wanted);
}
