/**
 * Lint: what the compiler does not see and a reviewer should not have to. Layout is the formatter's
 * business; who imports whom is `test/arch/imports.test.ts`.
 */
import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const noDefaultExport = {
  selector: 'ExportDefaultDeclaration, ExportSpecifier[exported.name="default"]',
  message: 'Named exports only: a name that can be searched for.',
};
const noStarExport = {
  selector: 'ExportAllDeclaration',
  message: 'A public edge lists its names.',
};

const runtimeGlobals = Object.fromEntries(
  [
    'process',
    'console',
    'fetch',
    'URL',
    'Buffer',
    'AbortController',
    'AbortSignal',
    'setTimeout',
    'clearTimeout',
  ]
    .concat(['setInterval', 'clearInterval', 'performance', 'TextEncoder', 'TextDecoder'])
    .map((name) => [name, 'readonly']),
);

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'node_modules/',
      '**/generated/',
      '.sutra/',
      '.cache/',
      'bench/results/',
      // Their packages are installed apart; `npm run check --prefix bench/peers` looks at them.
      'bench/peers/vendors/',
      'test/fixtures/',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'max-lines': ['error', { max: 600 }],
      'max-lines-per-function': ['error', { max: 60 }],
      'no-restricted-syntax': ['error', noDefaultExport, noStarExport],
      eqeqeq: 'error',
      'no-console': 'error',
      'no-eval': 'error',
      'no-new-func': 'error',
      'no-proto': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
      ],
      '@typescript-eslint/ban-ts-comment': [
        'error',
        { 'ts-ignore': true, 'ts-nocheck': true, 'ts-expect-error': true },
      ],
      // The compiler does these two already.
      'no-unused-vars': 'off',
      '@typescript-eslint/no-unused-vars': 'off',
      // Numbers and booleans print as one expects; objects and null do not.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true, allowAny: false, allowNullish: false, allowRegExp: false },
      ],
      '@typescript-eslint/restrict-plus-operands': ['error', { allowNumberAndString: true }],
      // `() => emitter.off(...)` is idiom; a promise in that place is still reported by the rules above.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // An interface implemented without awaiting, and a `() => {}` that does nothing on purpose, are fine.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      // `Row` of `run<Row>()` is the caller's statement of what its SQL yields.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      // `while (true)` with a return inside is the plainest form of a loop that waits.
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      '@typescript-eslint/no-dynamic-delete': 'off',
      // A quarter of the time, for enums (which the compiler refuses here) and for what no-unsafe-assignment sees.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      // A test asks again what the types already promise.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // `test()` and `describe()` give a promise that the runner itself awaits.
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            {
              from: 'package',
              package: 'node:test',
              name: ['test', 'it', 'describe', 'suite', 'before', 'after'],
            },
          ],
        },
      ],
    },
  },
  {
    // These write to a terminal; that is their job.
    files: ['test/**/*.ts', 'bench/**/*.ts', 'cli/**/*.ts', 'docs/**/*.ts', 'examples/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    // Plain programs, as examples for readers without TypeScript. The compiler does not see their names.
    files: ['**/*.mjs', '**/*.js'],
    languageOptions: { globals: runtimeGlobals },
  },
);
