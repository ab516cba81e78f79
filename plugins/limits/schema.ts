export { limitSettings as settings } from '../server-limits.ts';
