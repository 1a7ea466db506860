import type { ServiceChange } from './api-report.ts';

/** An action of an overlay (Overlay 1.1, 4.4.3); its description identifies it in the overlay. */
export interface OverlayAction {
  /** A JSONPath query (RFC 9535) into the document. */
  readonly target: string;
  readonly description: string;
  readonly update: Readonly<Record<string, unknown>>;
}

/** A read whose answer can be learnt: the document does not say what it answers with, or an overlay has learnt it. */
export interface LearnableRead {
  /** A JSONPath query for the operation; identifies the read. */
  readonly target: string;
  /** As it is written in the document, such as `/users/{id}`. */
  readonly path: string;
  readonly operationId: string;
  /** The parameter at the end of the path, if any. */
  readonly parameter: string | null;
  readonly looksLikeList: boolean;
  /** True if the overlay contains what was learnt earlier. */
  readonly isLearnt: boolean;
}

/** The schema of values that were seen, as JSON Schema; it contains no values. */
export interface LearntSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, LearntSchema>>;
  readonly items?: LearntSchema;
  readonly additionalProperties?: LearntSchema | boolean;
  readonly $ref?: string;
}

/** The form of one answer, without its values. */
export interface AnswerSample {
  /** The read. */
  readonly target: string;
  /** The names of the members that lead to the rows or to the entity. */
  readonly path: readonly string[];
  readonly isList: boolean;
  /** The schema of the rows or of the entity. */
  readonly entity: LearntSchema;
  /** The schemas of the objects along the path, without the members on it. */
  readonly around: readonly LearntSchema[];
}

export interface ReadOutcome {
  readonly path: string;
  readonly outcome: string;
}

/** The columns of a table and their types, such as `Collection(String)`. */
export interface TableShape {
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, string>>;
}

/** A table that a change of the overlay adds, removes or alters. */
export interface TableChange {
  readonly name: string;
  readonly before: TableShape | null;
  readonly after: TableShape | null;
}

/** The effect of actions on an API's overlay and on its clients. */
export interface Improvement {
  readonly actions: readonly OverlayAction[];
  /** The lines of the overlay that are added (`+`), removed (`-`) or kept. */
  readonly difference: readonly string[];
  readonly tables: readonly TableChange[];
  readonly changes: readonly ServiceChange[];
}

/** The result of learning from answers; nothing is stored yet. */
export interface LearnResult extends Improvement {
  readonly reads: readonly ReadOutcome[];
}

/** A proposed action for the overlay, and the reason for it. */
export interface Suggestion {
  readonly kind: 'key' | 'name' | 'schema' | 'link' | 'filter' | 'page';
  readonly title: string;
  readonly reason: string;
  readonly action: OverlayAction;
}

/** A question about what an overlay could say of a document. */
export type ImprovementOrder =
  | { readonly kind: 'reads'; readonly supplied: SuppliedNames }
  | { readonly kind: 'learn'; readonly supplied: SuppliedNames; readonly samples: readonly AnswerSample[] }
  | { readonly kind: 'suggest' }
  /** The text of one document that is made of the files that the document refers to. */
  | { readonly kind: 'bundle' }
  | { readonly kind: 'write'; readonly actions: readonly OverlayAction[] };

/** The names of the parameters that the project sets for each call; in lower case for headers. */
export interface SuppliedNames {
  readonly headers: ReadonlySet<string>;
  readonly query: ReadonlySet<string>;
}

/** The answer to an order; each kind of order sets its member. */
export interface ImprovementAnswer {
  /** For `reads`. */
  readonly reads?: readonly LearnableRead[];
  /** For `suggest`. */
  readonly suggestions?: readonly Suggestion[];
  /** For `learn`: the actions that change the overlay. */
  readonly actions?: readonly OverlayAction[];
  /** For `bundle`. */
  readonly document?: string;
  /** For `write`. */
  readonly overlay?: WrittenOverlay;
}

/** An overlay with added or replaced actions. */
export interface WrittenOverlay {
  readonly text: string;
  readonly difference: readonly string[];
}
