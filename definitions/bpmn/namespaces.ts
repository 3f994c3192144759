/** The namespaces that carry meaning, and how to tell a near miss from another vendor's. */
export const BPMN_NAMESPACE = 'http://www.omg.org/spec/BPMN/20100524/MODEL';
export const Q_NAMESPACE = 'urn:sutra:q:1.0';

/** Namespaces of the drawing: recognised, without meaning for execution. */
const DRAWING_NAMESPACES = new Set([
  'http://www.omg.org/spec/BPMN/20100524/DI',
  'http://www.omg.org/spec/DD/20100524/DI',
  'http://www.omg.org/spec/DD/20100524/DC',
]);

/** Another version or a misspelling of BPMN's namespace: ignoring it would ignore elements. */
export function resemblesBpmn(namespace: string): boolean {
  return (
    namespace !== BPMN_NAMESPACE &&
    !DRAWING_NAMESPACES.has(namespace) &&
    /^https?:\/\/(?:www\.|schema\.)?omg\.org\/(?:spec\/)?bpmn(?:\/|$)/i.test(namespace)
  );
}

export function resemblesQ(namespace: string): boolean {
  return namespace !== Q_NAMESPACE && /^urn:sutra(?::|$)/i.test(namespace);
}
