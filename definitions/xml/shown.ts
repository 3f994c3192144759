/** A piece of an author's file inside a message: quoted, control characters visible, cut when long. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
