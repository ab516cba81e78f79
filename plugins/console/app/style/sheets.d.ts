/** Sheets that scripts import for their effect. */
declare module '*.css';
