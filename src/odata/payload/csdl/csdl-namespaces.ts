/** The XML namespaces of CSDL documents and of what they wrap (CSDL XML 4.01, 2.1 and 2.2). */
export const EDMX = 'http://docs.oasis-open.org/odata/ns/edmx';
export const EDM = 'http://docs.oasis-open.org/odata/ns/edm';
