/** How a behaviour says that its element cannot be executed with this data. */
import type { CoreCode } from './codes.ts';

/**
 * Data that a flow node cannot work with. Never leaves the core: `execute.ts` turns it into the
 * instance's failure, and the start of an instance into a refusal.
 */
export class ElementFailure extends Error {
  readonly code: CoreCode;

  constructor(code: CoreCode, message: string) {
    super(message);
    this.name = 'ElementFailure';
    this.code = code;
  }
}
