/** The library has no types of its own. */
declare module 'bpmn-auto-layout' {
  /** Adds a diagram to a BPMN file: the file as text, read and written anew. */
  export function layoutProcess(xml: string): Promise<string>;
}
