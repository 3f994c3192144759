/**
 * Who may import whom, as data. A zone is a folder or a file; a file belongs to the longest zone that
 * holds it. Files of a zone may always import each other.
 */

export interface ZoneRule {
  /** Zones, folders or files of ours. `*`: anything that may be imported at all. */
  readonly ours: readonly string[];
  /** Package names; `node:` is every module of the runtime. `*`: any package. */
  readonly packages: readonly string[];
  /** Nothing may import it but these zones. */
  readonly importedBy?: readonly string[];
  /** The folder is allowed to be absent: its work has not begun. */
  readonly isPlanned?: true;
}

/** The error class and its tables: the one thing that everyone but the pure core may import. */
const errors = 'config/engine-error.ts';
/** Functions over text that know nothing of settings. */
const textFunctions = ['config/iso8601.ts', 'config/nearest.ts', 'config/quote-text.ts'];
const enginePart = [
  'engine/core',
  'engine/store',
  'definitions',
  'config',
  'engine/transport.ts',
  'engine/observe.ts',
  'engine/new-id.ts',
];
/** What decoding and validating messages takes. */
const codecPackages = ['ajv', 'ajv-formats', 'fast-xml-parser', 'saxes', 'yaml'];
const developmentOnly = ['test', 'bench', 'docs'];

export const importRules: Readonly<Record<string, ZoneRule>> = {
  config: { ours: [], packages: ['yaml', 'luxon', 'zod', 'node:fs', 'node:path'] },
  definitions: {
    ours: [errors, ...textFunctions],
    // A package is read from a folder or an archive, its schemas compiled, its bytes hashed.
    packages: [
      ...[
        'fast-xml-parser',
        'saxes',
        'yaml',
        'lezer-feel',
        'decimal.js',
        're2js',
        'luxon',
        'fflate',
        'ajv',
        'ajv-formats',
      ],
      ...['node:crypto', 'node:fs', 'node:path', 'node:zlib'],
    ],
  },
  'engine/core': { ours: ['definitions'], packages: [] },
  'engine/transport.ts': { ours: [], packages: [] },
  'engine/observe.ts': { ours: [], packages: [] },
  'engine/new-id.ts': { ours: [], packages: ['uuid', 'node:crypto'] },
  'engine/store': {
    ours: ['engine/core', 'engine/transport.ts', 'engine/observe.ts', errors],
    packages: ['knex', 'pg', '@electric-sql/pglite', 'node:'],
  },
  'engine/deployments': { ours: enginePart, packages: ['node:'] },
  'engine/intake': { ours: [...enginePart, 'engine/deployments'], packages: ['node:', ...codecPackages] },
  'engine/relay': {
    ours: [...enginePart, 'engine/intake/ports.ts', 'engine/intake/codes.ts'],
    packages: ['node:'],
  },
  // The clock turns in the same loop as the relay, over timers instead of outbox rows.
  'engine/clock': { ours: [...enginePart, 'engine/intake/ports.ts', 'engine/relay'], packages: ['node:'] },
  // As the clock, over signals on their way.
  'engine/signals': {
    ours: [...enginePart, 'engine/intake/ports.ts', 'engine/relay', 'engine/clock'],
    packages: ['node:'],
  },
  'channels/http': {
    ours: ['engine/transport.ts', 'engine/observe.ts', 'config'],
    packages: ['express', 'node:'],
  },
  'channels/local': { ours: ['engine/transport.ts', 'engine/observe.ts', 'config'], packages: ['node:'] },
  'channels/pull': {
    ours: ['engine/transport.ts', 'engine/observe.ts', 'engine/new-id.ts', 'engine/store', 'config'],
    packages: ['express', 'node:'],
  },
  // Other systems' names for the same work: they read and write values, and name what the engine can do as ports.
  'channels/pull/compat': {
    ours: [
      'channels/pull',
      'definitions',
      'engine/transport.ts',
      'engine/observe.ts',
      'engine/new-id.ts',
      'engine/store',
      'config',
    ],
    packages: ['node:'],
  },
  server: {
    ours: ['config', 'definitions', 'engine', 'channels'],
    packages: ['express', 'pino', 'prom-client', 'uuid', 'node:'],
  },
  worker: { ours: [], packages: [] },
  console: { ours: [], packages: [], importedBy: ['server'], isPlanned: true },
  cli: {
    ours: ['server', 'definitions', 'worker', 'config'],
    packages: ['commander', 'bpmn-auto-layout', 'node:'],
    importedBy: ['test'],
  },
  examples: {
    ours: ['server/index.ts', 'worker/index.ts'],
    packages: ['node:'],
    importedBy: ['test', 'bench'],
  },
  docs: { ours: ['*'], packages: ['node:', 'typescript', 'prettier'], importedBy: ['test'] },
  test: { ours: ['*'], packages: ['*'], importedBy: developmentOnly },
  bench: { ours: ['*'], packages: ['*'], importedBy: developmentOnly },
};
