import { GatewayError } from '../../contract/gateway-error.ts';
import { nearName } from '../../model/near-name.ts';
import type { PathSegment } from '../tree/expression-tree.ts';

/** `names` are those that may stand there instead. */
export function unknownResource(
  segment: PathSegment | undefined,
  names: Iterable<string> = [],
): GatewayError {
  const found = segment === undefined ? 'nothing' : describeSegment(segment);
  const near = segment?.kind === 'name' ? nearName(segment.name, names) : undefined;
  const meant = near === undefined ? '.' : `: is "${near}" meant?`;
  return new GatewayError('NotFound', `There is no resource ${found} here${meant}`);
}

/** `target` is the segment, or the option, that asks for it. */
export function notImplemented(what: string, target: string): GatewayError {
  return new GatewayError('NotImplemented', `${what} is not implemented.`, { target });
}

/** A segment that the gateway has no answer for. */
export function segmentNotImplemented(segment: PathSegment, where = ''): GatewayError {
  const shown = describeSegment(segment);
  return notImplemented(`${shown}${where}`, shown.replaceAll('"', ''));
}

function describeSegment(segment: PathSegment): string {
  switch (segment.kind) {
    case 'name':
      return `"${segment.name.slice(0, 100)}"`;
    case 'annotation':
      return `"@${segment.term.slice(0, 100)}"`;
    case 'lambda':
      return segment.operator;
    case 'aggregate':
      return segment.kind;
    case 'system':
      return `/$${segment.name}`;
    case 'count':
    case 'filter':
      return `/$${segment.kind}`;
  }
}

/** The entity that the path leads through is not there. */
export function missingOwner(url: string): GatewayError {
  return new GatewayError('NotFound', `There is no ${decodeURIComponent(url)}.`);
}
