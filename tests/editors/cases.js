// What the extension shows of a file in one of several cases: `node cases.js CASE JSON`. The JSON
// has the file, the class of each of its lines by the database, the Python that has whowrote, and
// a directory for what the program keeps.
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode"); // the stand-in beside this file

const extension = path.join(__dirname, "../../editors/vscode");
const [name, asked] = [process.argv[2], JSON.parse(process.argv[3])];
const { editor, recorded, registered, settings } = vscode;
const document = editor.document;
// the real program, which notes the words that it is given
const program = path.join(asked.home, "who wrote");
const script = '#!/bin/sh\necho "$*" >>"$0.calls"\nexec "$PYTHON" -m whowrote "$@"\n';
const calls = () => fs.readFileSync(`${program}.calls`, "utf8").trim().split("\n");
const hover = async (line) => (await registered.hovers.provideHover(document, { line }, {}))?.text;

// Opens the file and saves it. Questions are answered in order, so with the hover the signs stand.
async function open() {
  const manifest = JSON.parse(fs.readFileSync(path.join(extension, "package.json"), "utf8"));
  require(extension).activate({
    subscriptions: [],
    asAbsolutePath: (relative) => path.join(extension, relative),
  });
  registered.listeners.saved(document);
  const titles = manifest.contributes.commands.map((command) => command.command);
  assert.deepEqual(Object.keys(registered.commands).sort(), titles.sort());
  return hover(0);
}

const cases = {
  "signs at lines of their class": async () => {
    const shown = await open();
    const kindsOfSign = { agent: ["agent"], declared: ["declared"], person: ["human", "likely_human"] };
    for (const [sign, kinds] of Object.entries(kindsOfSign)) {
      const icon = path.join(extension, "icons", `${sign}.svg`);
      const lines = [...asked.kinds.keys()].filter((line) => kinds.includes(asked.kinds[line]));
      assert.ok(fs.existsSync(icon));
      assert.deepEqual(recorded.signs[icon], lines);
    }
    assert.ok(asked.kinds.filter((kind) => kind === "agent").length > 20);
    assert.match(shown, /^agent: claude-code \(.*\)\nexact, observed\n/);
    const prompt = /^asked: (.+)$/m.exec(shown)[1];
    const person = asked.kinds.indexOf("likely_human");
    assert.match(await hover(person), /^likely human: Ada Example\n/);

    await registered.commands["whowrote.why"]();
    assert.ok(recorded.output.startsWith(`${asked.file}:1\nagent: `));
    assert.ok(recorded.output.includes(prompt));
    await registered.commands["whowrote.session"]();
    assert.ok(recorded.page.startsWith("# ") && recorded.page.includes(prompt));
    assert.deepEqual(recorded.messages, []);

    // the lines of a changed file may stand elsewhere
    const before = calls().length;
    document.isDirty = true;
    assert.equal(await hover(0), undefined);
    assert.equal(calls().length, before);

    // what was written by another program is asked for again, what is typed is not
    registered.listeners.changed({ document, contentChanges: [{}] });
    document.isDirty = false;
    registered.listeners.changed({ document, contentChanges: [] });
    await hover(0);
    registered.listeners.changed({ document, contentChanges: [{}] });
    registered.listeners.saved(document);
    await hover(0);
    const commands = calls().slice(before).map((words) => words.split(" ")[0]);
    assert.deepEqual(commands, ["why", "blame", "why"]);
  },

  "nothing without trust": async () => {
    settings.trusted = false;
    assert.equal(await open(), undefined);
    await registered.commands["whowrote.why"]();
    assert.throws(calls, { code: "ENOENT" });
    assert.deepEqual(recorded.signs, {});
    assert.match(recorded.messages.join(), /^whowrote: only .* trusted workspace have answers$/);
  },

  "one message": async () => {
    settings.path = "no-such-program";
    // one of that name in the clone is not run
    fs.copyFileSync(program, path.join(path.dirname(asked.file), settings.path));
    process.chdir(path.dirname(asked.file));
    await open();
    registered.listeners.saved(document);
    await hover(0);
    const message = "whowrote: there is no program no-such-program: see the setting whowrote.path";
    assert.deepEqual(recorded.messages, [message]);
    assert.ok(Object.values(recorded.signs).every((lines) => lines.length === 0));

    // who asks is answered again
    await registered.commands["whowrote.session"]();
    assert.deepEqual(recorded.messages, [message, message]);
  },
};

fs.writeFileSync(program, script, { mode: 0o700 });
Object.assign(process.env, { PYTHON: asked.python, HOME: asked.home, XDG_DATA_HOME: asked.home });
settings.path = program;
document.fileName = asked.file;
cases[name]();
