/** The rows of EXPECTED.md, as far as a table of ours can be checked against them. */

export interface ExpectedRow {
  readonly number: number;
  readonly files: readonly string[];
  readonly stepCount: number;
}

const ROW = /^\| (\d+) \| (.+?) \| (.+?) \| (.+?) \| .*\|$/;

export function expectedRows(markdown: string): readonly ExpectedRow[] {
  return markdown.split('\n').flatMap((line) => {
    const [, number, files, steps] = ROW.exec(line) ?? [];
    if (number === undefined || files === undefined || steps === undefined) return [];
    return [
      {
        number: Number(number),
        files: [...files.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''),
        stepCount: steps.split('<br>').length,
      },
    ];
  });
}
