/** What is read at most. Far above any file of a modeler; each has its own refusal. */
export const xmlBounds = {
  /** 10 MiB: the largest file of the public model collections we know has 0.5 MB. */
  maxBytes: 10 * 1024 * 1024,
  /** Element nesting. Sub-processes nest two levels of elements each; 200 is a guess on the safe side. */
  maxDepth: 200,
  maxElements: 200_000,
  maxAttributesPerElement: 256,
  /** Characters of one attribute's value. Layout extensions of some modelers hold whole JSON documents. */
  maxAttributeLength: 65_536,
  /** Characters of an element's or attribute's name. */
  maxNameLength: 256,
  /** Well-formedness faults reported for one file; after that they are mostly echoes of the first. */
  maxFaults: 20,
} as const;
