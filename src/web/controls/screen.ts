/** A page below `/app`. */
export interface Screen {
  /** Such as `posts/add-post`, which is a subpage of `posts`. */
  readonly path: string;
  readonly title: string;
  /** True if the navigation lists it. */
  readonly navigation?: boolean;
  /** The paths of screens that are linked above the control. */
  readonly links?: readonly string[];
  readonly control: ListConfiguration | FormConfiguration;
}

/** A list of the entities of a collection. */
export interface ListConfiguration {
  readonly kind: 'list';
  /** The collection, relative to the service root, such as `/Post`. */
  readonly dataPath: string;
  /** A template of an item's title; `{Title}` is replaced by that property's value. */
  readonly itemTitle: string;
  /** The path of the screen for an item. */
  readonly targetUrl: string;
  /** The query parameters of that screen: templates by name. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** A form to read an entity or create one in a collection. */
export interface FormConfiguration {
  readonly kind: 'form';
  /**
   * Relative to the service root: an entity, such as `/Post('<postId>')` with a query parameter of the
   * screen, or a collection, such as `/Post`.
   */
  readonly targetUrl: string;
  readonly inputs: AutoInput;
  readonly buttons: readonly ButtonConfiguration[];
}

/** Inputs for all properties, by type. */
export interface AutoInput {
  readonly readOnly?: boolean;
  /** The names of properties without an input, separated by commas. */
  readonly exclude?: string;
}

export interface ButtonConfiguration {
  readonly label: string;
  /** The target, relative to the screen's URL; without one, the button submits the form. */
  readonly navigateUrl?: string;
}
