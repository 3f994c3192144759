/** A promise that an input broke. `check` is the same for all inputs that break it in the same way. */
export class FuzzFailure extends Error {
  readonly check: string;

  constructor(check: string, message: string) {
    super(message);
    this.name = 'FuzzFailure';
    this.check = check;
  }
}
