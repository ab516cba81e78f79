export { limitSettings as settings } from '../http/server-limits.ts';
