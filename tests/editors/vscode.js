// A stand-in for VS Code's module `vscode`, in a window with one file. It has what the extension
// uses; `registered` has what the extension offers, and `recorded` what it showed.
"use strict";

const settings = { path: "", trusted: true };
const recorded = { signs: {}, messages: [], output: "", page: "" };
const registered = { commands: {}, listeners: {} };
const listener = (name) => (listen) => (registered.listeners[name] = listen);
const editor = {
  document: { fileName: "", uri: { scheme: "file" }, isDirty: false },
  selection: { active: { line: 0 } },
  setDecorations: (type, ranges) => (recorded.signs[type.icon] = ranges.map((range) => range.line)),
};

class Range {
  constructor(line) {
    this.line = line;
  }
}

class Hover {
  constructor(contents) {
    this.text = contents.text;
  }
}

class MarkdownString {
  appendText(text) {
    this.text = text;
    return this;
  }
}

class EventEmitter {
  fire() {}
}

module.exports = {
  settings,
  recorded,
  registered,
  editor,
  Range,
  Hover,
  MarkdownString,
  EventEmitter,
  DecorationRangeBehavior: {},
  Uri: { from: (parts) => parts },
  window: {
    activeTextEditor: editor,
    visibleTextEditors: [editor],
    createTextEditorDecorationType: (type) => ({ icon: type.gutterIconPath }),
    createOutputChannel: () => ({
      clear() {},
      show() {},
      appendLine: (text) => (recorded.output = text),
    }),
    onDidChangeVisibleTextEditors: listener("editors"),
    setStatusBarMessage: (text) => recorded.messages.push(text),
  },
  workspace: {
    get isTrusted() {
      return settings.trusted;
    },
    getConfiguration: () => ({ get: (name) => settings[name] }),
    onDidSaveTextDocument: listener("saved"),
    onDidChangeTextDocument: listener("changed"),
    registerTextDocumentContentProvider: (_, provider) => (registered.pages = provider),
  },
  languages: { registerHoverProvider: (_, provider) => (registered.hovers = provider) },
  commands: {
    registerCommand: (name, run) => (registered.commands[name] = run),
    executeCommand: (_, uri) => (recorded.page = registered.pages.provideTextDocumentContent(uri)),
  },
};
