/** The library's modules, which are loaded for what they add to the language, hold nothing to import. */
declare module 'core-js/actual/*';
