/** A page below `/app`. */
export interface Screen {
  /** Such as `posts/add-post`, which is a subpage of `posts`. */
  readonly path: string;
  readonly title: string;
  /** Whether the navigation lists it. */
  readonly navigation?: boolean;
  /** The screens, by their paths, that have a link above the control. */
  readonly links?: readonly string[];
  readonly control: ListConfiguration | FormConfiguration;
}

/** Entities of a collection, one item for each. */
export interface ListConfiguration {
  readonly kind: 'list';
  /** The collection below the service's root, such as `/Post`. */
  readonly dataPath: string;
  /** A template of an item's title; `{Title}` stands for that property's value. */
  readonly itemTitle: string;
  /** The screen, by its path, that an item leads to. */
  readonly targetUrl: string;
  /** That screen's query parameters: templates by name. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** One entity to read, or a collection to create one in. */
export interface FormConfiguration {
  readonly kind: 'form';
  /**
   * Below the service's root: an entity, such as `/Post('<postId>')` with a query parameter of the screen's, or
   * a collection, such as `/Post`.
   */
  readonly targetUrl: string;
  readonly inputs: AutoInput;
  readonly buttons: readonly ButtonConfiguration[];
}

/** An input for each property, by its type. */
export interface AutoInput {
  readonly readOnly?: boolean;
  /** Names of properties, separated by commas, that have none. */
  readonly exclude?: string;
}

export interface ButtonConfiguration {
  readonly label: string;
  /** Where it leads, relative to the screen's own address; one that leads nowhere sends the form. */
  readonly navigateUrl?: string;
}
