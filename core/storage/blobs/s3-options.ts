export interface S3Options {
  readonly bucket: string;
  /** In front of all names, with a slash at the end; or empty. */
  readonly prefix: string;
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly pathStyle: boolean;
  /** Those of the environment, of a file or of the machine, as the client library finds them, unless given. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  readonly cache: { readonly folder: string; readonly bytes: number };
}
