import type { Plugin } from 'rolldown';

const MAKER = 'getJSONSchemaStringFormatScalarMap';
const LATE = '?late';

/**
 * Mesh compiles validators for seven JSON Schema formats whenever it builds a schema, which takes a tenth of
 * a start, and uses few of them. With this plugin they are compiled on first use; the schemas are the same.
 */
export function lateFormatScalars(): Plugin {
  let isApplied = false;
  return {
    name: 'late-format-scalars',
    resolveId: {
      filter: { id: new RegExp(`/${MAKER}\\.js$`) },
      async handler(source, importer) {
        if (importer?.endsWith(LATE)) return null;
        const original = await this.resolve(source, importer);
        return original === null ? null : `${original.id}${LATE}`;
      },
    },
    load: {
      filter: { id: /\?late$/ },
      handler(id) {
        isApplied = true;
        return `
          import { ${MAKER} as make } from ${JSON.stringify(id.slice(0, -LATE.length))};
          export function ${MAKER}() {
            let scalars;
            return { get: (format) => (scalars ??= make()).get(format) };
          }`;
      },
    },
    buildEnd() {
      if (!isApplied) throw new Error(`Expected @omnigraph/json-schema to have ${MAKER}.js, found none.`);
    },
  };
}
