import type { Facets, OpaqueTypeName, PrimitiveTypeName, ValueBounds } from './type-use.ts';

/** An operation of the OpenAPI document, by the name of its field in the mesh. */
export interface Operation {
  readonly id: string;
  /** The operation's path parameters and the key properties that fill them. */
  readonly parameters: readonly OperationParameter[];
  /** The name of the source whose document has the operation. */
  readonly source?: string;
  /** Where the answer holds the list or the entity; undefined where the answer is that itself. */
  readonly wrappedIn?: AnswerPath | undefined;
  /** Of a list within an object: the members of the object. */
  readonly envelope?: readonly string[] | undefined;
  /** Of a read by key or of a change: it answers with a list, which has the entity where there is one. */
  readonly isList?: true;
  /** Of a change, where the document says so. */
  readonly precondition?: Precondition | undefined;
  /** The form that the body is written as; a body without one is JSON. */
  readonly form?: SentForm | undefined;
}

/** A body of media type application/x-www-form-urlencoded or multipart/form-data. */
export interface SentForm {
  readonly kind: 'urlencoded' | 'multipart';
  readonly mediaType: string;
  /** By the upstream's names, the members that are not written as all others are. */
  readonly members: ReadonlyMap<string, FormMember>;
}

/** The notation of one member of a form (OpenAPI 3.1.1, 4.8.15). */
export interface FormMember {
  /** Undefined: by the media type of its values. */
  readonly style?: 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | undefined;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** The media type of each value; undefined: text for scalars, JSON for objects. */
  readonly contentType?: string | undefined;
  /** Its values are base64url texts of files. */
  readonly isFile: boolean;
}

/** How a change says in which state it expects an entity (RFC 9110, 13.1.1). */
export interface Precondition {
  /** The parameter that is If-Match, by its name in the mesh; undefined where the document has none. */
  readonly parameter: string | undefined;
  /** A change that does not say it is refused. */
  readonly required: boolean;
}

export interface OperationParameter {
  /** The parameter's name in the mesh. */
  readonly name: string;
  readonly property: string;
  /**
   * How many entities before the last one of the resource path the property's entity stands; 0 where
   * it is absent. In `Order('1')/Items('2')` the item is 0 up, the order 1 up.
   */
  readonly up?: number;
}

/** What an operation takes in the place of an entity or a complex value, by the schema of its own body. */
export interface SentType {
  /** By the upstream's names. */
  readonly properties: ReadonlyMap<string, SentProperty>;
  /** What it takes for types derived from it, by the values of the discriminator. */
  readonly derived: ReadonlyMap<string, SentType>;
}

export interface SentProperty {
  /** The body has to have it, though it may be null. */
  readonly required: boolean;
  readonly nullable: boolean;
  /** Whether a value that is sent is ignored: the upstream gives it. */
  readonly computed: boolean;
  /** In the text form of CSDL 4.01, 7.2.7; also of the only value that there may be. */
  readonly defaultValue: string | undefined;
  /** The primitive type of its values; undefined where they are something else. */
  readonly primitiveType: PrimitiveTypeName | OpaqueTypeName | undefined;
  readonly facets: Facets;
  /** What its objects have. */
  readonly members: SentType | undefined;
}

/** A GET of a collection. */
export interface ListOperation extends Operation {
  /** Parameters that nothing but a caller's filter can give, with the properties that it must fix. */
  readonly fixed?: readonly OperationParameter[];
  /** Whose lists are read, one after the other, where a filter does not fix these parameters. */
  readonly over?: ListOwners | undefined;
  /** Properties of the entities that their read has and the list has not: in the list, they are null. */
  readonly lacks?: readonly string[];
  /** How its pages are asked for, where the document tells of pages. */
  readonly paging?: Paging | undefined;
  /** Parameters that may narrow the list, by their names and the document's words. Most are used only once proved. */
  readonly narrowing?: readonly NarrowingParameter[] | undefined;
  /** Arguments that may sort the list by one property. Used only once proved. */
  readonly sorting?: readonly SortingArguments[] | undefined;
  /** Parameters that the API narrows the list by where they are missing. */
  readonly defaults?: readonly DefaultFilter[] | undefined;
  /** `derive: false`: the list is one unchanged GET of the whole list, and every option is applied afterwards. */
  readonly literal?: true;
}

/** A query parameter that may leave only rows of the list whose property meets a condition. */
export interface NarrowingParameter {
  readonly parameter: GivenParameter;
  /** A structural property of the entity, followed by properties of the complex values on the way. */
  readonly path: readonly string[];
  readonly condition: NarrowingCondition;
  /** The member of the parameter's object that takes the value, such as `gte` of `created[gte]`. */
  readonly member?: string | undefined;
  /** Values with a meaning of their own, such as `all` or `me`, by the document's words. They are never sent. */
  readonly words: readonly string[];
  /** The upstream applies a default where the parameter is missing: the unnarrowed list may lack rows. */
  readonly hasDefault?: true;
  /** The property is an array: the condition is one on any of its elements. */
  readonly ofElements?: true;
}

export type NarrowingCondition =
  /** The property equals the value. */
  | { readonly kind: 'equal' }
  /**
   * The property equals one of the values; `most` is the number that one call takes, if the document limits it. Values are
   * one text with a separator where the parameter is a text, else an array.
   */
  | { readonly kind: 'in'; readonly most: number | undefined; readonly separator: ',' | undefined }
  /** The property is at least or at most the value; undefined where the document does not say if that is included. */
  | { readonly kind: 'lower' | 'upper'; readonly inclusive: boolean | undefined };

/** A query parameter of a list that has a default: without it, the list may lack entities. */
export interface DefaultFilter {
  /** Its name in the mesh. */
  readonly parameter: string;
  /** Its name in the document. */
  readonly name: string;
  readonly isList: boolean;
  /** The values that it takes. */
  readonly values: ValueBounds;
  /** The property that the entities of a call have such a value of, if any. */
  readonly property?: string;
  /** The values that are sent for all entities, one call for each; none where the default stands. */
  readonly whole: readonly (readonly string[])[];
  /** The default that stands; undefined where all entities are asked for. */
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

/** The set whose entities have a list each. */
export interface ListOwners {
  readonly entitySet: string;
  /** The parameters of each list, with the owners' properties that fill them. */
  readonly parameters: readonly OperationParameter[];
  /** Whoever the model is for may not see them: he has to say whose list he means. */
  readonly hidden?: true;
}

/** A list that can do some of the work of a query. */
export interface PagedListOperation extends ListOperation {
  readonly orderBy: GivenParameter | undefined;
  /** Property to the parameter that filters by it. */
  readonly filters: ReadonlyMap<string, GivenParameter>;
}

/** A GET that tells what has changed in a list since an earlier one (Part 1, 11.3). */
export interface ChangesOperation extends Operation {
  /** The parameter that takes the token of an earlier answer, by its name in the mesh; without it, all may be told. */
  readonly since: string;
  /** The property of the answer, by its upstream name, that holds the keys of what is gone; undefined where nothing goes. */
  readonly removed: string | undefined;
  /** The property of the answer, by its upstream name, that holds the token of the present state. */
  readonly next: string;
}

export interface InsertOperation extends Operation {
  /** The client's bytes are forwarded unchanged; else names are mapped to the upstream's. */
  readonly verbatim: boolean;
  /** The property of the request body, by its upstream name, that holds the entity. */
  readonly bodyWrappedIn?: string | undefined;
  /** The body, or what it holds, is a list: the entity is its only item. */
  readonly bodyIsList?: true | undefined;
  /** The document does not say what its answer is: what was created, a part of that, or something else. */
  readonly untyped?: true;
  /** What a client is told of any failure; where the document does not say, it is told what has failed. */
  readonly failure?: string | undefined;
  /** Properties that the operation's body does not have; those that are computed go without saying. */
  readonly nonInsertableProperties?: readonly string[];
  /** What its body has; undefined where the document does not say. */
  readonly sent?: SentType | undefined;
  /** The body may be the stream of a media entity; undefined where it is JSON alone. */
  readonly media?: MediaInsert | undefined;
  /** Parameters that properties of the new entity fill. */
  readonly fixed?: readonly OperationParameter[];
  /** The properties among these that the body does not have. */
  readonly unsent?: readonly string[];
}

/** How a media entity is created from its stream (Part 1, 11.4.7.1). */
export interface MediaInsert {
  /** The media types, or ranges of them, that the stream may have. */
  readonly mediaTypes: readonly string[];
  /** An entity in JSON is not taken. */
  readonly only: boolean;
}

/** Changes an entity: by PATCH where the document has one, else by PUT. */
export interface UpdateOperation extends Operation {
  readonly method: 'PATCH' | 'PUT';
  /** The PUT beside a PATCH, which takes whole entities. */
  readonly replacing?: UpdateOperation;
  /** An entity that is not there is created. */
  readonly inserts?: boolean;
  /** What its body has; undefined where the document does not say. */
  readonly sent?: SentType | undefined;
  /** The property of the request body, by its upstream name, that holds the entity. */
  readonly bodyWrappedIn?: string | undefined;
  /** The body, or what it holds, is a list: the entity is its only item. */
  readonly bodyIsList?: true | undefined;
  /** The key in the body says which entity is changed: the path does not. */
  readonly keyInBody?: true;
  /** Properties that the operation's body does not have; the key, computed and immutable ones go without saying. */
  readonly nonUpdatableProperties?: readonly string[];
}

/**
 * Adds a link between two entities, or takes it away. Of its parameters, those that are 0 up are the related
 * entity's, and those that are 1 up its owner's.
 */
export interface ReferenceOperation extends Operation {
  /** The members of the body and the properties of the related entity that they are; none for no body. */
  readonly body: readonly ReferenceMember[];
}

export interface ReferenceMember {
  readonly upstreamName: string;
  readonly property: string;
}

/**
 * A place in an answer: upstream names of properties, each of the object that the one before it holds. `data.items` is
 * `['data', 'items']`.
 */
export type AnswerPath = readonly string[];

/** How a list that comes in pages is asked for, and what its answers say of them. Parameters have their names in the mesh. */
export interface Paging {
  /** How many items a page has; undefined where nobody can ask for it. */
  readonly size: PageSize | undefined;
  /** How another page than the first is asked for, the surest way first. */
  readonly ways: readonly PageWay[];
  /** What the document says that answers say. */
  readonly tells: PagingSigns;
  /** Where `x-odata` or a vendor's extension says that it stands, whatever it is called there. */
  readonly places: SignPlaces;
  /** An answer may have a page, and a link to the next one. Else it has all that is asked for. */
  readonly onward: boolean;
}

/** A parameter that the gateway gives a value to, and the values that the document allows for it. */
export interface GivenParameter {
  readonly name: string;
  /** Whether it has to be given with each call. */
  readonly required: boolean;
  readonly values: ValueBounds;
}

export interface PageSize {
  readonly parameter: GivenParameter;
  /** What is asked for where all items are wanted; undefined leaves it to the upstream. */
  readonly largest: number | undefined;
  /** The document bounds it: pages can be requested by their numbers. */
  readonly sure: boolean;
  /** `x-odata.maxTop` declares it: a page with fewer items than requested is the last one. */
  readonly promised?: true | undefined;
  /** The documented size of a page that is requested without one. */
  readonly standard: number | undefined;
  /** A larger size than that, for a list with no other way to its rest; undefined if the document allows none. */
  readonly larger: number | undefined;
}

export type PageWay =
  /** By what an answer says of the next page. */
  | {
      readonly kind: 'cursor';
      readonly parameter: GivenParameter;
      /** Answers have a member with the name of the parameter. It may stay the same: an empty page ends the list. */
      readonly scrolls?: true | undefined;
    }
  /** By the key of the last item: the upstream name of its property, or that of the entity's key. */
  | { readonly kind: 'lastKey'; readonly parameter: GivenParameter; readonly property: string | undefined }
  /** By the number of the page; undefined where nothing says which number the first page has. */
  | { readonly kind: 'page'; readonly parameter: GivenParameter; readonly first: 0 | 1 | undefined }
  /** By the number of items before it, plus that of the first. */
  | { readonly kind: 'offset'; readonly parameter: GivenParameter; readonly first: 0 | 1 };

export interface PagingSigns {
  /** The next page: its URL, or what to ask for it by. */
  readonly next: boolean;
  /** Whether there is one. */
  readonly more: boolean;
  /** How many items all pages have. */
  readonly total: boolean;
}

export interface SignPlaces {
  readonly next?: AnswerPath | undefined;
  readonly more?: AnswerPath | undefined;
  readonly total?: AnswerPath | undefined;
}
