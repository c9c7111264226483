const { exec, execSync, execFile, spawn } = require('child_process');
const vm = require('vm');
const { promisify } = require('util');
const quote = require('shell-quote').quote;

const run = promisify(exec);

function tainted(req) {
  // VULN: command-tainted command-built
  exec('ping ' + req.query.host);
  // VULN: command-tainted command-built
  execSync(`ls ${process.argv[2]}`);
  // VULN: command-tainted shell-command
  run(req.body.command);
  // SAFE: command-tainted command-built shell-command
  execFile('ping', [req.query.host]);
  // SAFE: command-tainted
  exec('ping -c ' + parseInt(req.query.count));
  // VULN: code-tainted eval
  eval(req.query.code);
  // VULN: code-tainted eval
  vm.runInNewContext(req.body.code, {});
  // SAFE: code-tainted eval
  JSON.parse(req.body.code);
  // SAFE: code-tainted
  setTimeout(() => req.body.code, 10);
}

function built(name, parts, command) {
  // VULN: command-built
  exec(`git checkout ${name}`);
  const line = 'tar xf ' + name;
  // VULN: command-built shell-command
  run(line);
  // VULN: command-built
  spawn('sh', ['-c', `cd ${name} && make`]);
  // VULN: shell-command
  spawn(command, { shell: true });
  // VULN: shell-command
  execSync(command, { stdio: 'inherit' });
  // SAFE: command-built shell-command
  execSync('git status | wc -l');
  // SAFE: command-built shell-command
  spawn('git', ['checkout', name]);
  // SAFE: shell-command
  /x/.exec(command);
  // SAFE: command-built
  exec(`ls ${quote(parts)}`);
  // VULN: eval
  eval(command);
  // VULN: eval
  new Function('x', command);
  // SAFE: eval
  setTimeout(() => command, 10);
  // SAFE: eval
  new Function('return this')();
}

const LIST = ['one', 'two'];
const target = 'dist';

function narrowed(name, commitHash, port) {
  // SAFE: command-built
  exec(`rm -r ${target}`);
  // SAFE: command-built
  execSync(`git show ${commitHash}`);
  // SAFE: command-built
  exec(`serve --port ${port}`);
  const tool = name ? 'which' : 'where';
  // SAFE: command-built
  execSync(`${tool} node`);
  for (const part of LIST) {
    // SAFE: command-built
    execSync(`make ${part}`);
  }
  // VULN: command-built
  execSync(`make ${target} ${name}`);
  const worktree = name + '-tree';
  // VULN: command-built
  execSync(`git worktree remove ${worktree}`);
}

function capture(line) {
  // SAFE: shell-command
  return execSync(line);
}

capture('git status | wc -l');
