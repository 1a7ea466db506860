import type { Plugin } from 'rolldown';

const MAKER = 'getJSONSchemaStringFormatScalarMap';
const LATE = '?late';

/**
 * Mesh compiles validators for seven formats of JSON Schema whenever it makes a schema, which takes a tenth of a start, and
 * looks up few of them or none. With this plugin they are compiled at the first look-up, and the schemas stay the same.
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
