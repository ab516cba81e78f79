/**
 * Longest run of the main thread that a request may cause, ms of CPU. The promise is 50; the short form, which runs on
 * machines of any speed beside whatever else they do, takes four times that for a defect.
 */
export const LONGEST_ALLOWED_MS = process.env['HEADWATER_TEST_LONG'] === '1' ? 50 : 200;
