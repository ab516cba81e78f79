/** @throws Error for what is no SHA-256 in hexadecimal digits, so that no other file can be named */
export function blobName(hash: string): string {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error(`'${hash}' is no SHA-256.`);
  return `${hash.slice(0, 2)}/${hash.slice(2)}`;
}
