import type { Facets, OpaqueTypeName, PrimitiveTypeName, ValueBounds } from './type-use.ts';

/** An operation of an OpenAPI document. */
export interface Operation {
  readonly id: string;
  /** The path parameters and the key properties that fill them. */
  readonly parameters: readonly OperationParameter[];
  /** The name of the source whose document has the operation. */
  readonly source?: string;
  /** The path of the list or entity in the response; undefined if it is the response. */
  readonly wrappedIn?: AnswerPath | undefined;
  /** The document does not say whether the response is nested in an object: each response shows it. */
  readonly isOfUnknownShape?: true;
  /** The members of the object around a list. */
  readonly envelope?: readonly string[] | undefined;
  /** For a read by key or a change: the response is a list with at most one entity. */
  readonly isList?: true;
  /** For a change: the documented precondition. */
  readonly precondition?: Precondition | undefined;
  /** The character between the items of lists in the query, by the name of the parameter in the mesh, if it is no comma. */
  readonly delimiters?: ReadonlyMap<string, ' ' | '|'>;
  /** The form encoding of the body; undefined for JSON. */
  readonly form?: SentForm | undefined;
  /** For a read: the age up to which an answer is used again; undefined if every read calls the upstream. */
  readonly maxAge?: MaxAge;
  /** The number of calls that the upstream takes, in addition to what its answers declare. */
  readonly rate?: CallRate;
}

/** In milliseconds; `api`: as long as the answer itself allows (RFC 9111). */
export type MaxAge = number | 'api';

/** A number of calls in a time. */
export interface CallRate {
  /** Operations with the same name share the rate. */
  readonly name: string;
  readonly calls: number;
  readonly windowMs: number;
}

/** A body of type application/x-www-form-urlencoded or multipart/form-data. */
export interface SentForm {
  readonly kind: 'urlencoded' | 'multipart';
  readonly mediaType: string;
  /** The members with a notation of their own, by upstream name. */
  readonly members: ReadonlyMap<string, FormMember>;
}

/** The notation of one member of a form (OpenAPI 3.1.1, 4.8.15). */
export interface FormMember {
  /** Undefined: determined by the media type of its values. */
  readonly style?: 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | undefined;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** The media type of each value; undefined for text (scalars) and JSON (objects). */
  readonly contentType?: string | undefined;
  /** True if its values are files as base64url texts. */
  readonly isFile: boolean;
}

/** The conditional header of a change (RFC 9110, 13.1.1). */
export interface Precondition {
  /** The parameter for If-Match, by its name in the mesh; undefined if the document has none. */
  readonly parameter: string | undefined;
  /** True if a change without it is rejected. */
  readonly required: boolean;
}

export interface OperationParameter {
  /** The name of the parameter in the mesh. */
  readonly name: string;
  readonly property: string;
  /**
   * Number of entities between the last one of the resource path and the one with the property; 0 by default.
   * In `Order('1')/Items('2')` the item is 0 up, the order 1 up.
   */
  readonly up?: number;
}

/** The schema of a request body for an entity or a complex value. */
export interface SentType {
  /** By upstream name. */
  readonly properties: ReadonlyMap<string, SentProperty>;
  /** The schemas for derived types, by discriminator value. */
  readonly derived: ReadonlyMap<string, SentType>;
}

export interface SentProperty {
  /** True if the body must contain the property, though it may be null. */
  readonly required: boolean;
  readonly nullable: boolean;
  /** True if a sent value is ignored because the upstream assigns it. */
  readonly computed: boolean;
  /** In the text form of CSDL 4.01, 7.2.7; also used for the only allowed value. */
  readonly defaultValue: string | undefined;
  /** Undefined for values that are not primitive. */
  readonly primitiveType: PrimitiveTypeName | OpaqueTypeName | undefined;
  readonly facets: Facets;
  /** The members of its objects. */
  readonly members: SentType | undefined;
  /** True if a value may be a single number or text in place of an object. */
  readonly isScalar?: true;
}

/** A GET operation for a collection. */
export interface ListOperation extends Operation {
  /** Parameters that only a filter of the client can fill, with the properties that it must fix. */
  readonly fixed?: readonly OperationParameter[];
  /** The owners whose lists are read one after the other if a filter does not fix these parameters. */
  readonly over?: ListOwners | undefined;
  /** Properties that only the read of a single entity returns; null in the list. */
  readonly lacks?: readonly string[];
  /** The paging of the list, if documented. */
  readonly paging?: Paging | undefined;
  /** Parameters that may narrow the list, by their names and descriptions. Most are used only once proved. */
  readonly narrowing?: readonly NarrowingParameter[] | undefined;
  /** Arguments that may sort the list by one property. Used only once proved. */
  readonly sorting?: readonly SortingArguments[] | undefined;
  /** Parameters with a default that filters the list. */
  readonly defaults?: readonly DefaultFilter[] | undefined;
  /**
   * `derive: false`: the list is read by one GET without parameters, and the gateway applies every option.
   */
  readonly literal?: true;
}

/** A query parameter that may restrict the list to rows whose property meets a condition. */
export interface NarrowingParameter {
  readonly parameter: GivenParameter;
  /** The path of the property, through complex values. */
  readonly path: readonly string[];
  readonly condition: NarrowingCondition;
  /** The member of the parameter's object that takes the value, such as `gte` of `created[gte]`. */
  readonly member?: string | undefined;
  /** Documented values with a special meaning, such as `all` or `me`. They are never sent. */
  readonly words: readonly string[];
  /** True if the upstream applies a default without the parameter, so that the plain list may lack rows. */
  readonly hasDefault?: true;
  /** The property is an array: the condition is one on any of its elements. */
  readonly ofElements?: true;
  /** The form of a bound of a time that is sent without an offset: a local time, or a date. */
  readonly form?: 'local' | 'date';
}

export type NarrowingCondition =
  /** The property equals the value. */
  | { readonly kind: 'equal' }
  /**
   * The property equals one of the values; `most` is the documented maximum per call. A text parameter takes
   * one text with separators, others take an array.
   */
  | { readonly kind: 'in'; readonly most: number | undefined; readonly separator: ',' | undefined }
  /** The property is at least or at most the value; `inclusive` is undefined if the document does not say. */
  | { readonly kind: 'lower' | 'upper'; readonly inclusive: boolean | undefined };

/** A query parameter of a list whose default may hide entities. */
export interface DefaultFilter {
  /** Its name in the mesh. */
  readonly parameter: string;
  /** Its name in the document. */
  readonly name: string;
  readonly isList: boolean;
  readonly values: ValueBounds;
  /** The property that has the parameter's value in the returned entities, if any. */
  readonly property?: string;
  /** The values that together return all entities, one set per call; empty if the default is kept. */
  readonly whole: readonly (readonly string[])[];
  /** The default that is kept; undefined if all entities are requested. */
  readonly standing?: string;
}

export interface SortingArguments {
  readonly property: string;
  readonly descending: boolean;
  /** The document promises that no row lacks the property. */
  readonly required?: true;
  /** Parameter names in the mesh, with the texts to send. */
  readonly arguments: Readonly<Record<string, string>>;
}

/** The set whose entities each own a list. */
export interface ListOwners {
  readonly entitySet: string;
  /** The parameters of each list, with the owners' properties that fill them. */
  readonly parameters: readonly OperationParameter[];
  /** True if the principal may not view the owners and must therefore filter by one. */
  readonly hidden?: true;
}

/** A list operation that can apply query options itself. */
export interface PagedListOperation extends ListOperation {
  readonly orderBy: GivenParameter | undefined;
  /** The filter parameters by property. */
  readonly filters: ReadonlyMap<string, GivenParameter>;
}

/** A GET operation that reports changes of a list since an earlier call (Part 1, 11.3). */
export interface ChangesOperation extends Operation {
  /**
   * The parameter for the token of the earlier response, by its name in the mesh; without it, the response
   * may contain everything.
   */
  readonly since: string;
  /**
   * The response property with the keys of deleted entities, by upstream name; undefined if there are no
   * deletions.
   */
  readonly removed: string | undefined;
  /** The response property with the next token, by upstream name. */
  readonly next: string;
}

export interface InsertOperation extends Operation {
  /** True if the client's bytes are forwarded unchanged; otherwise names are mapped to the upstream's. */
  readonly verbatim: boolean;
  /** The property of the request body that contains the entity, by upstream name. */
  readonly bodyWrappedIn?: string | undefined;
  /** The body, or what it holds, is a list: the entity is its only item. */
  readonly bodyIsList?: true | undefined;
  /** Set if the document does not describe the response, which may or may not contain the created entity. */
  readonly untyped?: true;
  /** The message to clients for any failure; undefined for the usual messages. */
  readonly failure?: string | undefined;
  /** Properties that the body must not contain, in addition to computed ones. */
  readonly nonInsertableProperties?: readonly string[];
  /** The schema of the body; undefined if the document does not say. */
  readonly sent?: SentType | undefined;
  /** Set if the body may be the stream of a media entity. */
  readonly media?: MediaInsert | undefined;
  /** Parameters that are filled from properties of the new entity. */
  readonly fixed?: readonly OperationParameter[];
  /** Properties among these that the body must not contain. */
  readonly unsent?: readonly string[];
}

/** The creation of a media entity from its stream (Part 1, 11.4.7.1). */
export interface MediaInsert {
  /** Accepted media types or ranges. */
  readonly mediaTypes: readonly string[];
  /** True if a JSON entity is not accepted. */
  readonly only: boolean;
}

/** An update by PATCH if the document has one, else by PUT. */
export interface UpdateOperation extends Operation {
  readonly method: 'PATCH' | 'PUT';
  /** The PUT operation next to a PATCH; it takes whole entities. */
  readonly replacing?: UpdateOperation;
  /** True if a missing entity is created. */
  readonly inserts?: boolean;
  /** The schema of the body; undefined if the document does not say. */
  readonly sent?: SentType | undefined;
  /** The property of the request body that contains the entity, by upstream name. */
  readonly bodyWrappedIn?: string | undefined;
  /** The body, or what it holds, is a list: the entity is its only item. */
  readonly bodyIsList?: true | undefined;
  /** The key in the body says which entity is changed: the path does not. */
  readonly keyInBody?: true;
  /** Properties that the body must not contain, in addition to the key, computed and immutable ones. */
  readonly nonUpdatableProperties?: readonly string[];
}

/**
 * An operation that adds or removes a link between two entities. Parameters with 0 up belong to the related
 * entity, those with 1 up to its owner.
 */
export interface ReferenceOperation extends Operation {
  /** The members of the body and the properties of the related entity that fill them; empty for no body. */
  readonly body: readonly ReferenceMember[];
}

export interface ReferenceMember {
  readonly upstreamName: string;
  readonly property: string;
}

/** A path in a response: upstream names of nested properties. `data.items` is `['data', 'items']`. */
export type AnswerPath = readonly string[];

/** The request parameters and response members of a paged list. Parameters have their names in the mesh. */
export interface Paging {
  /** The parameter for the page size, if any. */
  readonly size: PageSize | undefined;
  /** The ways to request a further page, the most reliable first. */
  readonly ways: readonly PageWay[];
  /** The members that the document declares in responses. */
  readonly tells: PagingSigns;
  /** The positions that `x-odata` or a vendor's extension declares, under any name. */
  readonly places: SignPlaces;
  /** True if a response may be a page with a link to the next; false if responses are complete. */
  readonly onward: boolean;
}

/** A parameter that the gateway fills, with its allowed values. */
export interface GivenParameter {
  readonly name: string;
  readonly required: boolean;
  readonly values: ValueBounds;
}

export interface PageSize {
  readonly parameter: GivenParameter;
  /** The size to request if all items are wanted; undefined leaves it to the upstream. */
  readonly largest: number | undefined;
  /** True if the document limits the size, so that pages can be requested by their numbers. */
  readonly sure: boolean;
  /** Set by `x-odata.maxTop`: a page with fewer items than requested is the last one. */
  readonly promised?: true | undefined;
  /** The documented default size. */
  readonly standard: number | undefined;
  /** A larger size, for a list with no other way to the rest; undefined if the document allows none. */
  readonly larger: number | undefined;
}

export type PageWay =
  /** By a cursor or link in the response. */
  | {
      readonly kind: 'cursor';
      readonly parameter: GivenParameter;
      /**
       * Responses have a member with the name of the parameter, which may stay the same: an empty page ends
       * the list.
       */
      readonly scrolls?: true | undefined;
    }
  /** By the key of the last item: the upstream name of its property, or the entity's key. */
  | { readonly kind: 'lastKey'; readonly parameter: GivenParameter; readonly property: string | undefined }
  /** By page number; `first` is undefined if the document does not say where numbers start. */
  | { readonly kind: 'page'; readonly parameter: GivenParameter; readonly first: 0 | 1 | undefined }
  /** By the number of preceding items, plus that of the first. */
  | { readonly kind: 'offset'; readonly parameter: GivenParameter; readonly first: 0 | 1 };

export interface PagingSigns {
  /** A URL or a cursor of the next page. */
  readonly next: boolean;
  /** A flag for further pages. */
  readonly more: boolean;
  /** The total number of items. */
  readonly total: boolean;
}

export interface SignPlaces {
  readonly next?: AnswerPath | undefined;
  readonly more?: AnswerPath | undefined;
  readonly total?: AnswerPath | undefined;
}
