/** Quotes a text for a message: control characters become visible, a long one is cut and marked. */
export function quoteText(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
