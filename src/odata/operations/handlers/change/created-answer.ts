import type { WholeResponse } from '../../../../contract/exchange.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import { PARTIAL, type Row, TAG } from '../../../../contract/row.ts';
import { hasKey } from '../../../../engine/change/change-entity.ts';
import { entityTag, etagProperty } from '../../../../engine/load/entity-state.ts';
import { loadEntity } from '../../../../engine/load/load.ts';
import { type PreparedEntity, prepareEntity } from '../../../../engine/read/prepare-query.ts';
import type { Loading, Wanted } from '../../../../engine/resource/loading.ts';
import { entityByKey } from '../../../../engine/resource/place.ts';
import type { CollectionResource, EntityResource } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/options-tree.ts';
import { writeEntity } from '../../../payload/json/json.ts';
import { prefersPlainText } from '../../../payload/negotiation/format.ts';
import type { ODataVersion } from '../../../payload/negotiation/version.ts';
import {
  appliedHeaders,
  type DataStyle,
  dataStyle,
  type StyledRequest,
  shownPreferences,
} from '../../protocol/data-style.ts';
import { etagHeaders, taggedRow } from '../../protocol/entity-tag.ts';
import { dataHeaders, noContent } from '../../protocol/response.ts';
import type { Service } from '../../service/service.ts';
import { canonicalUrl, shapeOf } from '../../shape/entity-shape.ts';

/** How entities that are new at a place are answered with. */
export interface CreatedAnswers {
  readonly prepared: PreparedEntity;
  readonly answer: (loading: Loading, row: Row, told: Told) => Promise<WholeResponse>;
}

interface Told {
  readonly style: DataStyle;
  readonly version: ODataVersion;
}

/**
 * `place` is the collection that they are new in, or the URL at which one is new (Part 1, 11.4.2 and 11.4.4).
 * `asked` are the options that the client has given, where others are added to them.
 */
export function createdAnswers(
  service: Service,
  place: CollectionResource | EntityResource,
  options: QueryOptions,
  asked: QueryOptions = options,
): CreatedAnswers {
  const { type: entityType } = place;
  const prepared = prepareEntity(service, place, options);
  const shape = shapeOf(service, place, options, prepared, 'entity');
  const canonical = canonicalUrl(place);
  const etag = etagProperty(entityType);
  const created = place.kind === 'entity' ? place : entityByKey(place, {});
  return {
    prepared,
    async answer(loading, told, { style, version }) {
      const isMinimal = prefersMinimal(style, asked);
      const row = told[PARTIAL] && !isMinimal ? await readBack(loading, place, prepared.wanted, told) : told;
      const url = hasKey(entityType, row) && canonical ? `${service.root}/${canonical(row)}` : undefined;
      const tag = entityTag(row, etag);
      const location = url === undefined ? {} : { location: url };
      if (isMinimal) {
        const id = url === undefined ? {} : { 'odata-entityid': url };
        return noContent(version, {
          'preference-applied': 'return=minimal',
          ...etagHeaders(tag),
          ...location,
          ...id,
        });
      }
      const { budget } = loading.context;
      const shown = taggedRow(await prepared.run(loading, row), tag, created);
      const body = await budget.run(writeEntity(shape(style), shown, budget));
      return {
        status: 201,
        headers: {
          ...dataHeaders(version, style.contentType),
          ...appliedHeaders(style.preferences, shownPreferences(style.preferences)),
          ...etagHeaders(tag),
          ...location,
        },
        body,
      };
    },
  };
}

/** The entity that is there now. That it was created is certain, whatever becomes of the read. */
async function readBack(
  loading: Loading,
  place: CollectionResource | EntityResource,
  wanted: Wanted,
  told: Row,
): Promise<Row> {
  const { key } = place.type;
  const known = Object.fromEntries(key.map((name) => [name, told[name] ?? null]));
  const entity = place.kind === 'entity' ? place : entityByKey(place, known);
  try {
    const found = await loadEntity(loading, entity, wanted);
    if (found === undefined) return told;
    return found.etag === undefined ? found.data : { ...found.data, [TAG]: found.etag };
  } catch (error) {
    if (error instanceof GatewayError) return told;
    throw error;
  }
}

/**
 * A client that takes nothing but plain text wants the message of a failure so; what is created is JSON
 * all the same, because a refusal now would keep it from being created at all.
 */
export function createdStyle(
  formatOption: string | undefined,
  { headers, principal }: StyledRequest,
  version: ODataVersion,
): DataStyle {
  const accept = prefersPlainText(headers['accept']) ? undefined : headers['accept'];
  return dataStyle(formatOption, { headers: { ...headers, accept }, principal }, version);
}

/** `$select` or `$expand` on an insert asks for the representation (Part 1, 11.4.1.5). */
function prefersMinimal({ preferences }: DataStyle, { select, expand }: QueryOptions): boolean {
  return select === undefined && expand === undefined && preferences.return === 'minimal';
}
