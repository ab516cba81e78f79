/** A failure that may last, such as that of a server which is away: it is reported once, and its end may be. */
export class LastingFailure {
  #lasts = false;

  /** @returns whether it is to be reported: it did not last before */
  begin(): boolean {
    const isNew = !this.#lasts;
    this.#lasts = true;
    return isNew;
  }

  /** @returns whether it lasted */
  end(): boolean {
    const lasted = this.#lasts;
    this.#lasts = false;
    return lasted;
  }
}
