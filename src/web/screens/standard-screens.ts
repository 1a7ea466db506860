import type { Screen } from '../controls/screen.ts';
import { standardPath } from '../service/addresses.ts';
import { type EntitySet, isText, propertyOf, titlePropertyOf } from '../service/metadata.ts';

/** The screens of such an entity set, configured from `$metadata`. */
export function standardScreens(entitySet: EntitySet): readonly Screen[] {
  const { name, typeName, key } = entitySet;
  const path = standardPath(name);
  return [
    {
      path,
      title: name,
      links: [`${path}/add`],
      control: {
        kind: 'list',
        dataPath: `/${name}`,
        itemTitle: titleTemplate(entitySet),
        targetUrl: `${path}/by-key`,
        parameters: Object.fromEntries(key.map(({ name, path }) => [name, `{${path}}`])),
      },
    },
    {
      path: `${path}/by-key`,
      title: typeName,
      control: {
        kind: 'form',
        targetUrl: `/${name}(${keyPredicate(entitySet)})`,
        inputs: { readOnly: true },
        buttons: [],
      },
    },
    {
      path: `${path}/add`,
      title: `Add ${typeName}`,
      control: {
        kind: 'form',
        targetUrl: `/${name}`,
        inputs: {},
        buttons: [{ label: `Add ${typeName}` }, { label: 'Cancel', navigateUrl: '..' }],
      },
    },
  ];
}

/** A template with the entity's title property, else its first text outside of the key, else its key. */
function titleTemplate(entitySet: EntitySet): string {
  return `{${titlePropertyOf(entitySet)?.name ?? entitySet.key[0]?.path ?? ''}}`;
}

/** Such as `Isbn='<Isbn>',No=<No>` (OData 4.01 Part 2, 4.3.1). */
function keyPredicate(entitySet: EntitySet): string {
  return entitySet.key
    .map(({ name, path }) => {
      const property = propertyOf(entitySet, path);
      return `${name}=${property !== undefined && isText(property) ? `'<${name}>'` : `<${name}>`}`;
    })
    .join(',');
}
