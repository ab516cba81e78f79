/** What tests give to core. */

/** The names in headers and media types that the tests expect. */
export const VENDOR = { header: ['SVC'], mediaType: 'service' };

export const SILENT = { info() {}, warn() {}, error() {} };
export const ERRORS_PRINTED = {
  ...SILENT,
  error: (fields: object, text: string) => console.error(text, fields),
};
