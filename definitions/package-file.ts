/** One file of a package. `path` is relative, with forward slashes, normalised. */
export interface PackageFile {
  readonly path: string;
  readonly content: Uint8Array;
}
