// The lint rules that money code needs on top of the compiler: no promise left alone, no hole in
// the types, every switch over a union complete. Layout is prettier's; structure is that of
// test/tidy.test.ts.
import tseslint from 'typescript-eslint'

const nodeGlobals = Object.fromEntries(
  ['Buffer', 'URL', 'URLSearchParams', 'clearInterval', 'clearTimeout', 'console', 'fetch']
    .concat(['process', 'setInterval', 'setTimeout', 'AbortSignal'])
    .map((name) => [name, 'readonly']),
)

export default tseslint.config(
  { ignores: ['dist/', 'dist.*/', 'data/', 'node_modules/', '.tap/', 'coverage/'] },
  {
    files: ['**/*.ts', '**/*.tsx', 'src/verify-bundle/*.mjs'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_' },
      ],
      // There are no enums (below), and this rule alone takes an eighth of the linter's time.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      // Interfaces of ports are async even where an adapter needs no await.
      '@typescript-eslint/require-await': 'off',
      'no-restricted-syntax': [
        'error',
        { selector: 'TSEnumDeclaration', message: 'A union instead of an enum.' },
      ],
    },
  },
  {
    // Plain JavaScript, which no compiler has checked for names that are nowhere defined.
    files: ['**/*.mjs'],
    ignores: ['src/verify-bundle/*.mjs'],
    extends: [...tseslint.configs.strict],
    languageOptions: { globals: nodeGlobals },
    rules: { 'no-undef': 'error' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // tap queues its tests itself; everything else in a test is awaited.
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: ['test', 'before', 'beforeEach', 'afterEach', 'teardown'] },
      ],
    },
  },
)
