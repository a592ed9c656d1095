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
      "@typescript-eslint/no-unnecessary-condition": [
        "error",
        { allowConstantLoopConditions: "only-allowed-literals" },
      ],
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      eqeqeq: "error",
    },
  },
  { files: ["**/*.mjs"], ...tseslint.configs.disableTypeChecked },
  // Imports run one way: protocol ← core ← editor; a webview knows only the protocol. tests/unit/structure.test.ts looks for circles.
  only(
    ["src/protocol/**"],
    [noVscode, { regex: "^\\.\\./(?!core/api/)", message: "The protocol stands on the API's types alone." }],
  ),
  only(
    ["src/core/**"],
    [noVscode, { regex: "^\\.\\./\\.\\./(?!protocol/)", message: "The core stands on the protocol alone." }],
  ),
  only(["src/core/api/**"], [noVscode, { regex: "^\\.\\./", message: "The API's types stand alone." }]),
  only(
    ["src/editor/**"],
    [{ regex: "^\\.\\./\\.\\./(?!protocol/|core/)", message: "The entry point puts the features together." }],
  ),
  only(
    ["webview/**"],
    [noVscode, { regex: "/src/(?!protocol/|core/api/)", message: "A webview talks to the extension by messages." }],
  ),
);
