"use strict";

const vscode = require("vscode");

const PAGE = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<title>Floor</title>
</head>
<body><main>Floor</main></body>
</html>`;

function resolveWebviewView({ webview }) {
  // As views with scripts have it: the editor then fills the view a second time.
  webview.options = { enableScripts: true };
  webview.html = PAGE;
}

function activate(context) {
  context.subscriptions.push(vscode.window.registerWebviewViewProvider("ragFloor.view", { resolveWebviewView }));
}

module.exports = { activate };
