/** Core has not begun a call and will not: nothing of its state was touched. */
export class Refusal extends Error {
  readonly status: 400 | 401 | 404 | 413 | 421 | 426 | 503;

  constructor(status: Refusal['status'], message: string) {
    super(message);
    this.status = status;
  }
}
