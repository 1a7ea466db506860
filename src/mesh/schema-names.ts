import { type GraphQLSchema, isScalarType, printType } from 'graphql';
import { GatewayError } from '../contract/gateway-error.ts';

/**
 * The names that sources bring into the mesh. Mesh merges types of the same name into one and lets the
 * last of several operations win: a source would then answer with another one's data.
 */
export class SchemaNames {
  readonly #fields = new Map<string, string>();
  readonly #types = new Map<string, { readonly source: string; readonly text: string }>();
  readonly #conflicts: string[] = [];

  claim(source: string, schema: GraphQLSchema): void {
    const roots = [schema.getQueryType(), schema.getMutationType()].filter((type) => type != null);
    for (const root of roots) {
      for (const name of Object.keys(root.getFields())) this.#claimField(source, `${root.name}.${name}`);
    }
    for (const type of Object.values(schema.getTypeMap())) {
      const isShared =
        type.name.startsWith('__') || isScalarType(type) || roots.some(({ name }) => name === type.name);
      if (!isShared) this.#claimType(source, type.name, printType(type));
    }
  }

  refuseConflicts(): void {
    if (this.#conflicts.length === 0) return;
    const cause = new Error(this.#conflicts.join('; '));
    throw new GatewayError('InternalError', `The sources cannot be served together: ${cause.message}.`, {
      cause,
    });
  }

  #claimField(source: string, name: string): void {
    const owner = this.#fields.get(name);
    if (owner !== undefined) this.#conflicts.push(`${owner} and ${source} both have the operation ${name}`);
    this.#fields.set(name, source);
  }

  #claimType(source: string, name: string, text: string): void {
    const known = this.#types.get(name);
    if (known !== undefined && known.text !== text) {
      this.#conflicts.push(`${known.source} and ${source} have different types named ${name}`);
    }
    this.#types.set(name, { source, text });
  }
}
