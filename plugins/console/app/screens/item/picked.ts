/** What is picked in a dialog. */
export interface Picked {
  readonly id: string;
  readonly name: string;
}
