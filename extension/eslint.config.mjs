import tseslint from "typescript-eslint";

const only = (files, patterns) => ({
  files,
  rules: { "no-restricted-imports": ["error", { patterns }] },
});
const noVscode = { regex: "^vscode$", message: "This code must run without the editor." };

export default tseslint.config(
  { ignores: ["dist/", "node_modules/", "src/core/api/api.gen.ts", "tests/editor/", "tests/kit/"] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-unnecessary-condition": ["error", { allowConstantLoopConditions: "only-allowed-literals" }],
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      eqeqeq: "error",
    },
  },
  { files: ["**/*.mjs"], ...tseslint.configs.disableTypeChecked },
  // Imports run one way: protocol ← core ← the editor's side; a view knows only the protocol.
  only(["src/protocol/**"], [noVscode, { regex: "^\\.\\./(?!core/)", message: "The protocol stands on the core's types alone." }]),
  only(["src/core/**"], [noVscode, { regex: "^\\.\\./(?!core|protocol)", message: "The core stands alone." }]),
  only(["src/core/*/**"], [noVscode, { regex: "^\\.\\./\\.\\./(?!protocol)", message: "The core stands alone." }]),
  only(["webview/**"], [noVscode, { regex: "/src/(?!protocol|core/(?:api|session)$)", message: "A view talks to the extension by messages." }]),
);
