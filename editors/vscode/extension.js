// Who wrote each line, shown in VS Code: signs beside the lines, a hover, and two commands.
//
// The program `whowrote` is asked, about saved files: lines of a changed one may stand elsewhere.
"use strict";

const { execFile } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

const TIME_LIMIT = 120_000; // milliseconds; the first question about a clone attributes all of it
const LONGEST_PROMPT = 400; // characters
const PERSON = { human: "person", likely_human: "person" };
const SIGN_OF_CLASS = { agent: "agent", declared: "declared", ...PERSON };

const signs = {}; // name of a sign -> its type of decoration
const pages = new Map(); // path of a session's page -> its Markdown
const complaints = new Set(); // those that were shown
const waiting = new Set(); // files whose signs will be asked for
let last = Promise.resolve(); // the answer to the last question

function activate(context) {
  for (const name of new Set(Object.values(SIGN_OF_CLASS))) {
    signs[name] = vscode.window.createTextEditorDecorationType({
      gutterIconPath: context.asAbsolutePath(path.join("icons", `${name}.svg`)),
      gutterIconSize: "contain",
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    });
  }
  const output = vscode.window.createOutputChannel("whowrote");
  const pageChanged = new vscode.EventEmitter();
  const pageProvider = {
    onDidChange: pageChanged.event,
    provideTextDocumentContent: (uri) => pages.get(uri.path),
  };
  context.subscriptions.push(
    ...Object.values(signs),
    output,
    pageChanged,
    vscode.window.onDidChangeVisibleTextEditors(showSignsOfAll),
    vscode.workspace.onDidSaveTextDocument(showSigns),
    // a file that another program wrote, as an agent does, is read again without being saved
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.contentChanges.length) showSigns(event.document);
    }),
    vscode.languages.registerHoverProvider({ scheme: "file" }, { provideHover }),
    vscode.workspace.registerTextDocumentContentProvider("whowrote", pageProvider),
    vscode.commands.registerCommand("whowrote.why", () => answerAtCursor(explain(output))),
    vscode.commands.registerCommand("whowrote.session", () => answerAtCursor(open(pageChanged))),
  );
  showSignsOfAll(vscode.window.visibleTextEditors);
}

function showSignsOfAll(editors) {
  for (const document of new Set(editors.map((editor) => editor.document))) showSigns(document);
}

async function showSigns(document) {
  const file = document.fileName;
  if (!isAnswerable(document) || waiting.has(file)) return;
  waiting.add(file);
  let lines = [];
  try {
    const answer = await inTurn(() => {
      waiting.delete(file);
      return ask(file, ["blame", "--json", file]);
    });
    lines = JSON.parse(answer);
  } catch (error) {
    complain(error);
  }
  if (document.isDirty) return; // it was changed meanwhile
  const shown = vscode.window.visibleTextEditors.filter((editor) => editor.document === document);
  for (const [name, type] of Object.entries(signs)) {
    const ranges = lines
      .filter((line) => SIGN_OF_CLASS[line.class] === name)
      .map((line) => new vscode.Range(line.line - 1, 0, line.line - 1, 0));
    for (const editor of shown) editor.setDecorations(type, ranges);
  }
}

async function provideHover(document, position, cancelled) {
  if (!isAnswerable(document)) return undefined;
  try {
    const line = await inTurn(() =>
      cancelled.isCancellationRequested ? undefined : why(document.fileName, position.line),
    );
    if (!line || document.isDirty) return undefined;
    const prompt = line.prompt.split("\n")[0].slice(0, LONGEST_PROMPT);
    // as text, never as Markdown: others wrote the prompt
    return new vscode.Hover(new vscode.MarkdownString().appendText(explanation(line, prompt)));
  } catch (error) {
    complain(error);
  }
  return undefined;
}

// Who wrote a line, and how that is known. `line`: an answer of `whowrote why --json`.
function explanation(line, prompt) {
  const author = line.agent || line.tool || (line.class in PERSON ? line.git_author : "");
  const words = [line.class.replaceAll("_", " "), author].filter(Boolean).join(": ");
  const known = [line.how, line.evidence, line.reason].filter((word) => word && word !== "none");
  return [
    words && words + (line.model && ` (${line.model})`),
    known.join(", ").replaceAll("_", " "),
    ...line.how_we_know,
    line.measured,
    prompt && `asked: ${prompt}`,
  ]
    .filter(Boolean)
    .join("\n");
}

async function answerAtCursor(answer) {
  complaints.clear(); // who asks is answered, also for the second time
  const editor = vscode.window.activeTextEditor;
  try {
    if (!editor || !isAnswerable(editor.document)) {
      throw new Error("only saved files of a clone in a trusted workspace have answers");
    }
    const file = editor.document.fileName;
    await answer(file, await inTurn(() => why(file, editor.selection.active.line)));
  } catch (error) {
    complain(error);
  }
}

const explain = (output) => async (file, line) => {
  output.clear();
  output.appendLine(`${file}:${line.line}\n${explanation(line, line.prompt)}`);
  output.show(true);
};

const open = (pageChanged) => async (file, line) => {
  if (!line.session) throw new Error("no session is known behind this line");
  const words = ["sessions", `--session=${line.session}`, "--md", "-"];
  const page = await inTurn(() => ask(file, words));
  const name = `/${encodeURIComponent(line.session)}.md`;
  const uri = vscode.Uri.from({ scheme: "whowrote", path: name });
  pages.set(uri.path, page);
  pageChanged.fire(uri);
  await vscode.commands.executeCommand("markdown.showPreview", uri);
};

// Whether the program may be asked about what the editor shows. Nothing runs without trust.
function isAnswerable(document) {
  const isFile = vscode.workspace.isTrusted && document.uri.scheme === "file";
  return isFile && !document.isDirty && isInClone(path.dirname(document.fileName));
}

function isInClone(directory) {
  if (fs.existsSync(path.join(directory, ".git"))) return true;
  const above = path.dirname(directory);
  return above !== directory && isInClone(above);
}

// `number` from 0
const why = async (file, number) =>
  JSON.parse(await ask(file, ["why", "--json", `${file}:${number + 1}`]));

// One question at a time: the first one attributes the clone for all. One that fails ends no other.
function inTurn(question) {
  const answer = last.then(question);
  last = answer.catch(() => undefined);
  return answer;
}

// What the program prints. Raises an Error with a sentence for the user.
async function ask(file, words) {
  const program = findProgram(vscode.workspace.getConfiguration("whowrote").get("path"));
  const options = { cwd: path.dirname(file), timeout: TIME_LIMIT, maxBuffer: Infinity };
  return new Promise((resolve, reject) => {
    const child = execFile(program, words, options, (error, stdout, stderr) => {
      // whatever it exits with: what it printed may not be all
      if (child.killed) reject(new Error("no answer in time; run `whowrote repo` once"));
      else if (!error) resolve(stdout);
      else reject(new Error(/^error: (.*)/im.exec(stderr)?.[1] ?? error.message.split("\n")[0]));
    });
  });
}

// Where the program is. Never a file of the clone, which some systems look at first.
function findProgram(name) {
  if (path.isAbsolute(name)) return name;
  const ending = process.platform === "win32" ? ".exe" : "";
  const directories = (process.env.PATH ?? "").split(path.delimiter).filter(path.isAbsolute);
  const files = directories.map((directory) => path.join(directory, name + ending));
  const found = files.find((file) => fs.existsSync(file));
  if (!found) throw new Error(`there is no program ${name}: see the setting whowrote.path`);
  return found;
}

function complain(error) {
  const complaint = `whowrote: ${error.message}`;
  if (!complaints.has(complaint)) vscode.window.setStatusBarMessage(complaint, 20_000);
  complaints.add(complaint);
}

module.exports = { activate };
