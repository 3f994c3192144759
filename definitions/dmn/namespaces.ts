/** The namespaces of DMN 1.1 to 1.5, and how to tell a near miss from another vendor's. */

/** In the order of the versions. Two names of 1.1: modelers took one before the standard was printed with the other. */
const MODEL_NAMESPACES: readonly string[] = [
  'http://www.omg.org/spec/DMN/20151101/dmn.xsd',
  'http://www.omg.org/spec/DMN/20151101/dmn11.xsd',
  'http://www.omg.org/spec/DMN/20180521/MODEL/',
  'https://www.omg.org/spec/DMN/20191111/MODEL/',
  'https://www.omg.org/spec/DMN/20211108/MODEL/',
  'https://www.omg.org/spec/DMN/20230324/MODEL/',
];

/** Of the newest version that is read: what to write instead of one that is not. */
export const NEWEST_DMN_NAMESPACE = 'https://www.omg.org/spec/DMN/20230324/MODEL/';

/** Of the drawing, and of types: recognised, without elements that decide. */
const OTHER_PARTS = /^https?:\/\/www\.omg\.org\/spec\/DMN\/\d{8}\/(?:DMNDI|DI|DC|FEEL)\/?$/;

const FEEL =
  /^(?:feel|(?:text|application)\/(?:x-)?feel|https?:\/\/www\.omg\.org\/spec\/(?:DMN\/\d{8}\/FEEL|FEEL(?:\/\d{8})?)\/?)$/i;

export function isDmnNamespace(namespace: string): boolean {
  return MODEL_NAMESPACES.includes(namespace);
}

/** Another version or a misspelling of DMN's namespaces: ignoring it would ignore elements. */
export function resemblesDmn(namespace: string): boolean {
  return (
    !isDmnNamespace(namespace) &&
    !OTHER_PARTS.test(namespace) &&
    /^https?:\/\/(?:www\.|schema\.)?omg\.org\/(?:spec\/)?dmn(?:\/|$)/i.test(namespace)
  );
}

/** Whether it names FEEL, as a language of expressions or of types: each version has a name of its own for it. */
export function isFeel(uri: string): boolean {
  return FEEL.test(uri.trim());
}
