/** A part of a URL without its encoding. A `%` that encodes nothing stands for itself, as for the clients of PostgreSQL and SMTP. */
export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part.replace(/%(?![0-9A-Fa-f]{2})/g, '%25'));
  } catch {
    // Bytes that are no UTF-8.
    return part;
  }
}
