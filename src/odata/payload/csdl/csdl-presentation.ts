import {
  type EntitySet,
  type EntityType,
  keyProperties,
  type NavigationProperty,
  type StructuralProperty,
} from '../../../model/edm.ts';
import { madeOnce } from '../../../model/maps.ts';
import type { Model } from '../../../model/model.ts';
import { labelOf } from '../../../model/names.ts';
import { type Presentation, presentationOf } from '../../../model/presentation.ts';
import type { Json, JsonObject } from './csdl-members.ts';
import { unlessEmpty } from './csdl-property.ts';
import { recordType } from './vocabulary-uri.ts';

/**
 * The annotations of an entity type for clients with screens (vocabularies com.sap.vocabularies.UI.v1 and Common.v1); none
 * for a type that is in no set of the model.
 */
export function typePresentation(model: Model, type: EntityType): JsonObject {
  const shown = presented(model, type);
  if (shown === undefined) return labelled(type);
  const { label, plural, title, description, columns, filters, groups, semanticKey } = shown;
  return {
    ...labelled(type),
    '@Common.SemanticKey': unlessEmpty(semanticKey),
    '@UI.HeaderInfo': {
      TypeName: label,
      TypeNamePlural: plural,
      Title: title === undefined ? undefined : dataField(title),
      Description: description === undefined ? undefined : dataField(description),
    },
    '@UI.LineItem': unlessEmpty(columns.map(dataField)),
    '@UI.SelectionFields': unlessEmpty(filters),
    ...Object.fromEntries(
      [...groups].map(([name, paths], index) => [
        `@UI.FieldGroup#${groupQualifier(index)}`,
        { Label: name, Data: paths.map(dataField) },
      ]),
    ),
    '@UI.Facets': unlessEmpty(
      [...groups.keys()].map((name, index) => ({
        '@type': recordType('UI', 'ReferenceFacet'),
        Label: name,
        Target: `@UI.FieldGroup#${groupQualifier(index)}`,
      })),
    ),
  };
}

function groupQualifier(index: number): string {
  return index === 0 ? 'General' : `Group${index + 1}`;
}

/**
 * The annotations of a property for clients with screens: its label (Fiori elements shows a field without one bare), the text
 * that represents its value, and the list that its values are chosen from.
 */
export function propertyPresentation(
  model: Model,
  type: EntityType | undefined,
  property: StructuralProperty,
): JsonObject {
  const { name, label, hidden } = property;
  const shown = type && presented(model, type);
  const text = shown?.texts.get(name);
  return {
    '@Common.Label': label ?? (shown === undefined ? undefined : labelOf(name)),
    '@Common.Text': text === undefined ? undefined : { $Path: text },
    '@Common.Text@UI.TextArrangement': text === undefined ? undefined : arrangement(shown, text),
    '@Common.ValueList': shown && type && valueList(model, type, property),
    '@UI.Hidden': hidden,
  };
}

export function setPresentation({ title }: EntitySet): JsonObject {
  return { '@Common.Label': title };
}

function labelled({ label }: { readonly label?: string | undefined }): JsonObject {
  return { '@Common.Label': label };
}

/** The title has a column of its own; a text of another entity stands before the value. */
function arrangement(shown: Presentation | undefined, text: string): string {
  return shown?.title === text ? 'TextSeparate' : 'TextFirst';
}

function dataField(path: string): Json {
  return { '@type': recordType('UI', 'DataField'), Value: { $Path: path } };
}

/** The list of the entities that a foreign key refers to, if the model has it and the key is the only part. */
function valueList(model: Model, type: EntityType, { name }: StructuralProperty): JsonObject | undefined {
  const navigation = references(type).get(name);
  const { target, constraints, entityType } = navigation ?? {};
  const [constraint] = constraints ?? [];
  if (target?.list === undefined || constraint === undefined || entityType === undefined) return undefined;
  const { title, plural } = presented(model, entityType) ?? presentationOf(entityType, []);
  const shown = title === undefined || title.includes('/') ? [] : [title];
  return {
    Label: target.title ?? plural,
    CollectionPath: target.name,
    Parameters: [
      {
        '@type': recordType('Common', 'ValueListParameterInOut'),
        LocalDataProperty: name,
        ValueListProperty: constraint.referencedProperty,
      },
      ...shown.map((each) => ({
        '@type': recordType('Common', 'ValueListParameterDisplayOnly'),
        ValueListProperty: each,
      })),
    ],
  };
}

const REFERENCES = new WeakMap<EntityType, ReadonlyMap<string, NavigationProperty>>();

/** The single-valued navigation properties by the only property that refers to the whole key of the related entity. */
function references(type: EntityType): ReadonlyMap<string, NavigationProperty> {
  return madeOnce(REFERENCES, type, (): ReadonlyMap<string, NavigationProperty> => {
    const single = [...type.navigationProperties.values()].filter(
      ({ collection, constraints, entityType, unreadable }) =>
        !collection &&
        unreadable !== true &&
        constraints.length === 1 &&
        keyProperties(entityType).length === 1 &&
        constraints[0]?.referencedProperty === entityType.key[0],
    );
    return new Map(single.map((navigation) => [navigation.constraints[0]?.property ?? '', navigation]));
  });
}

type TypesSets = ReadonlyMap<string, readonly EntitySet[]>;

const SETS = new WeakMap<Model, TypesSets>();

const PRESENTATIONS = new WeakMap<EntityType, Presentation>();

function presented(model: Model, type: EntityType): Presentation | undefined {
  const byType = madeOnce(
    SETS,
    model,
    (): TypesSets => Map.groupBy(model.entitySets.values(), ({ entityType }) => entityType.name),
  );
  const sets = byType.get(type.name) ?? [];
  return sets.length === 0 ? undefined : madeOnce(PRESENTATIONS, type, () => presentationOf(type, sets));
}
