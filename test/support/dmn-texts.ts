/** The expressions and the unary tests of a DMN file, whatever the file is otherwise. */
import { attributeOf, type XmlElement } from '../../definitions/xml/document.ts';
import { readXml } from '../../definitions/xml/read-xml.ts';

export interface FeelText {
  readonly form: 'expression' | 'tests';
  readonly text: string;
}

export interface DmnTexts {
  readonly texts: readonly FeelText[];
  /** Of everything in the file that has a name. */
  readonly names: readonly string[];
}

/** What the `text` inside of an element is. */
const forms: Readonly<Record<string, FeelText['form']>> = {
  literalExpression: 'expression',
  inputExpression: 'expression',
  outputEntry: 'expression',
  defaultOutputEntry: 'expression',
  inputEntry: 'tests',
  inputValues: 'tests',
  outputValues: 'tests',
  allowedValues: 'tests',
};

/** @throws Error for what is no XML */
export function readDmnTexts(path: string, content: Uint8Array): DmnTexts {
  const { document, findings } = readXml({ path, content });
  if (document === null) throw new Error(`${path}: ${JSON.stringify(findings)}`);
  const texts: FeelText[] = [];
  const names: string[] = [];
  const visit = (element: XmlElement): void => {
    const name = attributeOf(element, 'name');
    if (name !== null) names.push(name);
    const form = forms[element.localName];
    for (const child of element.children) {
      if (form !== undefined && child.localName === 'text' && child.text.trim() !== '')
        texts.push({ form, text: child.text });
      visit(child);
    }
  };
  visit(document.root);
  return { texts, names };
}
