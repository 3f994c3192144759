/** Why a JUEL text cannot be translated. */

/**
 * `syntax`: no engine reads it. `call`: a function or a method that FEEL has not. `bean`: a method of what is probably
 * no variable but a Java object. `assignment`, `lambda`: what no expression here does. `name`: FEEL reads the
 * variable's name otherwise. `coercion`: JUEL would convert a value, or fail. `size`: too long, or too deep.
 */
export type JuelRefusalReason =
  'syntax' | 'call' | 'bean' | 'assignment' | 'lambda' | 'name' | 'coercion' | 'size';

/** A fault at an offset of the JUEL text. The message says what to do instead. */
export class JuelFault extends Error {
  readonly reason: JuelRefusalReason;
  readonly offset: number;

  constructor(reason: JuelRefusalReason, message: string, offset: number) {
    super(message);
    this.reason = reason;
    this.offset = offset;
  }
}
