/** The converter of the OASIS committee, which comes without types. */
declare module 'odata-csdl' {
  /** Converts CSDL XML to CSDL JSON; throws where the XML is not CSDL. */
  export function xml2json(xml: string): Readonly<Record<string, unknown>>;
}
