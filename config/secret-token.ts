import { z } from 'zod';

/**
 * The format of a secret in a header or a handshake. 32 characters of the command below have 192 random bits; the
 * alphabet is that of header values without spaces (bearer tokens: RFC 6750 section 2.1).
 */
export const SECRET_TOKEN = /^[\x21-\x7e]{32,1000}$/;

/** Needs nothing but the Node that runs the service; 43 characters, 256 random bits. */
const TOKEN_COMMAND = `node -p "crypto.randomBytes(32).toString('base64url')"`;

export const SECRET_TOKEN_RULE = `must be 32 to 1000 visible ASCII characters without spaces; this command creates one: ${TOKEN_COMMAND}`;

export const secretToken = z.string().regex(SECRET_TOKEN, SECRET_TOKEN_RULE);
