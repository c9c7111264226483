"""What programs do, as data: which only look, which format, generate or install, and how their
options are to be read.

A program that is in none of these tables, and has no handler of its own, could have done anything.
"""


def _set(text: str, separator: str | None = None) -> frozenset[str]:
    return frozenset(" ".join(item.split()) for item in text.split(separator))


HARMLESS = _set("""
    : [ [[ alias arch awk gawk mawk base64 basename bat batcat bc bg bind brew apt apt-get dnf yum
  apk pacman caffeinate cal
    cat cd chmod chown chgrp clear cloc cmp column comm command complete cpp cut date declare df
  diff dig dirname dirs disown
    du echo egrep eval exa exit export expr eza fd fdfind false fg
  fgrep file flake8 fold free
    fuser getopts glow grep hash head hexdump host hostname iconv id ifconfig jobs join jq kill
  killall kubectl last launchctl
    ldd less let local locale locate ls lsb_release lsof lsp man md5 md5sum js-yaml mkdir mkfifo
  mktemp more mypy netstat nl nm
    nproc nslookup ntpq numfmt objdump od open otool paste pbcopy pbpaste pgrep ping pkill popd
  printenv printf ps psql pushd
    pwd pyright pylint pyre pytype read readelf readlink readonly realpath return rev rg ripgrep
  rmdir ruby-lint say scc seq
    set setopt sha1sum sha256sum shasum shellcheck shift shopt sleep sqlite3 ss stat stdbuf strings
  su sum sw_vers sync sysctl
    systemctl tac tail tasklist test times tokei top tput tr trap tree true tsort tty type typeset
  ulimit umask uname unalias
    uniq unset uptime users vm_stat wait watchman wc whereis which who whoami xclip xdg-open xmllint
  xxd yamllint yes zcat
    zgrep nc telnet ty hadolint actionlint bats staticcheck govulncheck gosec gotestsum deadcode
  htop ag ack fzf tldr
    nvidia-smi dotenv-linter vulture bandit semgrep trivy tox nox redis-cli mysql mongosh aws gcloud
  az heroku vercel flyctl
    fly netlify ccusage act pstree codesign defaults where findstr dir cls ver Get-Content
  Get-ChildItem Select-String
    Write-Host Write-Output Test-Path Get-Item Get-Location Get-Process Get-Command Select-Object
  Where-Object Sort-Object
    Measure-Object Format-Table Format-List ConvertFrom-Json ConvertTo-Json Out-Null Out-String
  Out-Host Set-Location
    Start-Sleep Join-Path Split-Path Resolve-Path Get-Date Write-Error ForEach-Object
  Invoke-RestMethod Compare-Object
    Group-Object Get-FileHash Write-Verbose
    """)

# Verdict, then each `program [subcommand [subcommand]]` it holds for; the longest match decides.
# Verdicts: `-` harmless; `fix` changes the operands unless a `!flag` is given, and only with one of
# the other flags if any are named; `into` writes its last operand; `scaffold` fills the directory
# that is its operand of that number (from 0; -1: the last), or writes the files named here where it
# has none; else a kind of effect and the files it writes, `?` standing for others. An indented line
# goes on.
_RULES = """
-: docker, docker-compose, podman,
  mcp-cli tools, mcp-cli info, mcp-cli servers, ultracite, next lint, next start, next info,
  wrangler, artisan migrate, artisan
  test, artisan serve, artisan tinker, artisan route:list, artisan cache:clear, artisan
  config:clear, django-admin check, django-admin test, django-admin shell,
  django-admin runserver, django-admin migrate, django-admin showmigrations, django-admin dbshell,
  django-admin createsuperuser, django-admin loaddata, django-admin flush, gh, go, go mod
  why, go mod graph, go mod verify, go mod download, go tool cover, go tool pprof, gci,
  golangci-lint, ruff, dprint, deno test,
  deno check, swift, terraform, tofu, dart analyze, dart test, flutter, dotnet, taplo, buf, zig,
  mix, sqlfluff, pre-commit,
  lefthook, husky, cargo, uv, poetry, pip, pip3, pipx, conda, pip-sync, npm, npm pkg, pnpm list,
  pnpm ls, pnpm why, pnpm config,
  pnpm store, pnpm audit, pnpm outdated, pnpm publish, pnpm pack, pnpm view, yarn why, yarn info,
  yarn list, yarn config, yarn
  audit, yarn cache, yarn npm, bun test, bun build, bun pm, mise install, mise i, mise ls, mise
  list, mise tasks, mise trust, mise
  which, mise env, mise current, mise doctor, mise settings, mise activate, mise where, mise
  version, mise self-update, mise cache,
  mise up, mise upgrade, mise config, jest, vitest, playwright, cypress, mocha, ava, pytest,
  unittest, coverage, json.tool,
  py_compile, compileall, http.server, venv, virtualenv, ensurepip, timeit, site, sysconfig, prisma
  validate, prisma studio, prisma
  db, drizzle-kit check, drizzle-kit studio, drizzle-kit push, drizzle-kit migrate, alembic, rails
  test, tree-sitter, goreleaser,
  asdf, nvm, pyenv, rbenv, rustup, volta, fnm, direnv, git, git gui, entire, entire reset, tmux,
  ssh, zip, gzip, bazel, openssl,
  ollama, llm, vp test
opaque: go run, go tool, deno, swift run, dart, dotnet run, mix run, cargo run, cargo r,
  cargo watch, cargo xtask, rails, ant, tmux send-keys,
  tmux send, tmux new-session, tmux new, tmux new-window, tmux run-shell, tmux split-window, bazel
  run
into: ffmpeg, magick, convert, cwebp, rsvg-convert, lessc, sass, svgo, pdftotext, wkhtmltopdf,
  asciidoctor
fix !-n: go fmt
fix: go fix, gci write, pyupgrade, dprint fmt, buildifier, sqlfluff fix, dos2unix, unix2dos,
  pre-commit run, prek, lefthook run,
  lint-staged, cargo fix, mise fmt
generate ?: go generate, dotnet add, dotnet remove, dotnet new, cargo sqlx, pip-compile, yarn init,
  changeset, tsc, swag,
  openapi-generator, openapi-generator-cli, openapi-typescript, graphql-codegen, ng generate, nest
  generate, rails generate, rails
  g, standard-version, semantic-release, entire enable, entire disable, cmake, ninja, pandoc, mmdc,
  dot, typst, quarto, json2ts,
  quicktype, datamodel-codegen, cbindgen, tailwindcss, cookiecutter, copier, skills, skills add,
  skills update, tauri icon,
  tauri init, cargo tauri, cap, tuist, artisan
scaffold 1: npm create, pnpm create, yarn create, bun create, degit, composer create-project
scaffold 1 package.json: npm init
scaffold 0 package.json: pnpm init
scaffold 0 package.json tsconfig.json index.ts README.md .gitignore: bun init
scaffold 0 Cargo.toml src/main.rs src/lib.rs .gitignore: cargo init
scaffold 0 pyproject.toml main.py README.md .python-version .gitignore src/*: uv init
scaffold 0: cargo new, flutter create, rails new, ng new, nest new, poetry new, mix new, mix
  phx.new, deno init, gatsby new
scaffold -1: django-admin startproject, django-admin startapp
generate go.mod go.sum: go mod, go get
generate go.work go.work.sum: go work
fix -w: gofmt, goimports, gofumpt, golines, shfmt
fix !--check !--list-different: vp fmt, oxfmt
fix --fix: vp check, vp lint, golangci-lint run, eslint, oxlint, stylelint, markdownlint-cli2, xo,
  standard, deno lint, standardrb,
  cargo clippy
fix !--diff: golangci-lint fmt
fix -i: clang-format
fix --fix -fix: clang-tidy
fix !--check !--diff: black, ruff format
fix !--check !--check-only !--diff !-c: isort
fix --fix --fix-only !--diff: ruff check
fix -i --in-place: autopep8, yapf, autoflake, docformatter, swift format
fix --write -w: prettier
fix --fix -f: markdownlint
fix --write --apply --fix --apply-unsafe: biome, biome check, biome format, biome lint
fix !--check: deno fmt, rustfmt, taplo fmt, taplo format, stylua, zig fmt, cargo fmt
fix !--lint: swiftformat
fix --fix --autocorrect: swiftlint
generate Package.resolved: swift package
fix -F --format: ktlint
fix !-check: terraform fmt, tofu fmt, addlicense
generate .terraform.lock.hcl: terraform init
fix !--output=none: dart format
fix --apply: dart fix
generate pubspec.lock: dart pub, flutter pub
fix !--verify-no-changes: dotnet format
fix -a -A --autocorrect --auto-correct --autocorrect-all --fix-layout -x: rubocop
fix !--dry-run: php-cs-fixer
fix !--test: pint
fix --reformat: djlint
fix -w --write: buf format
fix !--check !-c: nixfmt, alejandra
fix !--check-formatted: mix format
generate mix.lock: mix deps.get, mix deps.update
fix -i --inplace: ocamlformat
fix !--test !--check: scalafmt
fix -i --replace: google-java-format
fix -w --write-changes: codespell, typos
generate Cargo.lock: cargo build, cargo b, cargo update, cargo generate-lockfile
generate Cargo.toml Cargo.lock: cargo add, cargo rm, cargo remove, cargo upgrade
generate pyproject.toml uv.lock: uv add, uv remove, uv version
generate uv.lock: uv sync, uv lock
generate pyproject.toml poetry.lock: poetry add, poetry remove
generate poetry.lock: poetry lock, poetry update
generate pyproject.toml pdm.lock: pdm
generate Pipfile Pipfile.lock: pipenv
generate Gemfile.lock: bundle
generate composer.json composer.lock: composer
generate Podfile.lock: pod
generate package.json package-lock.json: npm install, npm i, npm add, npm uninstall, npm remove, npm
  rm, npm un, npm update, npm
  audit fix, npm version
generate package-lock.json: npm dedupe
generate package.json: npm pkg set, npm pkg delete, ncu
generate pnpm-lock.yaml: pnpm dedupe
generate package.json pnpm-lock.yaml: pnpm install, pnpm i, pnpm add, pnpm remove, pnpm rm, pnpm
  update, pnpm up
generate package.json pnpm-lock.yaml package-lock.json yarn.lock bun.lock: vp install, vp add, vp
  remove, vp update
generate package.json yarn.lock: yarn install, yarn add, yarn remove, yarn up, yarn upgrade
generate package.json bun.lock bun.lockb: bun install, bun i, bun add, bun remove, bun update
generate package.json app.json package-lock.json pnpm-lock.yaml yarn.lock bun.lock: expo install,
  expo customize
generate CHANGELOG.md: conventional-changelog
generate ? CHANGELOG.md .changeset/*: changeset version
generate vendor/*: go mod vendor
generate *.g.dart *.freezed.dart *.mocks.dart *.gr.dart *.drift.dart: dart run build_runner, flutter
  pub run, build_runner
generate *app_localizations.dart *app_localizations_*.dart pubspec.lock: flutter gen-l10n, flutter
  pub get, flutter pub upgrade
generate *l10n.dart */intl/messages_*.dart: dart run intl_utils:generate, dart run intl_utils
generate *.pb.go *_pb2.py *_pb2.pyi *_pb2_grpc.py *_pb.js *_pb.ts *_pb.d.ts *.pb.h *.pb.cc
  *.pb.gw.go *_grpc.pb.go *.pb.dart ?:
  protoc, buf generate, grpc_tools.protoc
generate *.sql.go ?: sqlc, sqlc generate
generate *mock_*.go */mocks/*.go ?: mockgen, mockery
generate *_string.go: stringer
generate *wire_gen.go: wire
generate *_templ.go: templ, templ generate
generate *.gen.go ?: oapi-codegen
generate *drizzle/*.sql *drizzle/meta/* *migrations/*.sql *migrations/meta/*: drizzle-kit,
  drizzle-kit generate
generate *prisma/migrations/* *generated/prisma/*: prisma, prisma generate, prisma migrate
generate *versions/*.py: alembic revision
generate *Migrations/*.cs: dotnet ef
generate *migrations/0*.py: django-admin makemigrations
generate *priv/repo/migrations/*.exs: mix ecto.gen.migration
generate *worker-configuration.d.ts: wrangler types
generate *next-env.d.ts: next, next build, next dev
generate *routeTree.gen.ts: tsr, tsr generate
generate *components/ui/*.tsx *components.json *hooks/use-*.ts *lib/utils.ts ?: shadcn, shadcn add,
  shadcn init, shadcn-ui
generate *src/parser.c *src/grammar.json *src/node-types.json *src/tree_sitter/*: tree-sitter
  generate
generate *.snap *.snap.new: cargo insta
generate *.xcodeproj/*: xcodegen generate
generate .beads/*: bd
generate mise.toml: mise use
restore: gh pr checkout, gh repo sync, git pull, git merge, git rebase, git cherry-pick, git revert,
  git am, git filter-branch, git
  filter-repo, git sparse-checkout, git read-tree, git bisect, git lfs pull, git
  lfs checkout, git submodule
  update, entire rewind, entire resume
generate .gitmodules: git submodule add
opaque: docker run, docker exec, docker cp, podman cp, docker compose run, docker compose exec,
  docker-compose run, docker-compose exec, podman run, podman exec
modify: sd, fastmod, codemod, jscodeshift, ed, ex
fix -i -in-place: comby
fix !--check: ultracite fix, ultracite format
fix -U --update-all: ast-grep, sg
fix !--dry-run !-n: rector
write: unzip, 7z, gunzip, unxz, cpio
"""


def _rules() -> dict[str, tuple[str, ...]]:
    lines = (line.partition(": ") for line in _RULES.replace("\n  ", " ").strip().split("\n"))
    return {
        key.strip(): tuple(verdict.split()) for verdict, _, keys in lines for key in keys.split(",")
    }


RULES = _rules()

# Names of tasks (`npm run …`, `make …`), split at punctuation. The first set that has one of the
# words decides.
TASK_CHECKS = _set("check verify validate dry diff list nofix ci status quality")
# `lint` is among them: many projects have their linter mend what it can.
TASK_FIXES = _set("fmt format fix prettier autofix tidy lint lintfix reformat pretty style")
TASK_GENERATES = _set("""
    gen generate codegen generated proto protos protobuf snapshot snapshots update build compile
    bundle release version changelog docs install setup bootstrap migrate migration migrations sync
    golden goldens schema types deps vendor dist
    """)
TASK_HARMLESS = _set("""
    test tests typecheck tsc types e2e integration unit coverage cov bench benchmark dev start serve
  server preview
    storybook audit vet doctor clean help spec specs canary up down logs run stop ps shell vitest
  jest pytest mypy eslint
    testall
    """)

# First words of the subcommand or the file name of an unknown program that only looks.
LOOKING = _set("""
    test tests check lint validate verify audit list ls show status view info get diff search find
  inspect describe query
    explain doctor whoami logs which count compare
    """)

# Options whose next word is a value, for programs whose operands are files.
VALUED = _set("""
    -c --config --config-path -l --line-length --ignore-path --parser --ext --ignore-pattern
  --select --extend-select --ignore
    --target-version -t -local --tab-width --print-width --rulesdir --format --log-level
  --stdin-filepath -srcdir --edition
    --config-file --exclude --extend-exclude --per-file-ignores --profile -m --max-warnings
  --hook-type -s --backup --mode
    --owner --group -S --suffix --reporter --plugin --rule --tag --tags --only --timeout
    """)
# Options of generators whose value is a file or directory that they write.
OUTPUTS = _set("-o --output --out --outfile --output-file --output-dir --out-dir --outdir --dest")
# Options with which a task is that of other packages of the project.
OTHER_PACKAGES = _set(
    "-r --recursive -w --workspace --workspaces -ws --filter -F -C --cwd --prefix --dir -f --file"
    " --directory"
)
# Options that say in which directory, or on which package, the program works; both take a value.
DIRECTORY = _set("-C --prefix --cwd --directory --dir --project-directory")
SELECTOR = _set("""
    --filter -F -w --workspace -c -p --package --manifest-path --project --python --with --from
  --extra --group --repo -R
    --git-dir --work-tree --config --env --only --namespace -n --color --jobs -j -f --file
  --makefile --justfile --features
    --env-file
    """)
# Programs that only run another one: name -> options with a value; a number of operands to drop
# follows in WRAPPER_OPERANDS.
WRAPPERS = {
    "sudo": _set("-u -g -h -p -C -D"),
    "doas": _set("-u"),
    "time": _set("-f -o"),
    "timeout": _set("-s -k --signal --kill-after"),
    "gtimeout": _set("-s -k --signal --kill-after"),
    "env": _set("-u -C -S"),
    "nice": _set("-n"),
    "ionice": _set("-c -n"),
    "exec": _set("-a"),
    "stdbuf": _set("-o -e -i"),
    "caffeinate": _set("-t -w"),
    "npx": _set("-p --package -c"),
    "bunx": _set("-p --package"),
    "uvx": _set("--from --with --python -p"),
    "watch": _set("-n --interval"),
    "dotenv": _set("-e -c"),
    **dict.fromkeys(
        ("nohup", "command", "builtin", "unbuffer", "setsid", "pnpx", "rtk", "cross-env", "arch"),
        frozenset[str](),
    ),
}
WRAPPER_OPERANDS = {"timeout": 1, "gtimeout": 1}
# The same for programs with a subcommand in front of the other program.
RUNNERS = _set(
    """
    uv run, poetry run, pipenv run, pdm run, rye run, hatch run, bundle exec, pnpm exec, pnpm dlx,
  yarn exec, yarn dlx, npm
    exec, npm x, mise exec, mise x, direnv exec, uv tool run, pipx run, bun x, coverage run, conda
  run, op run, doppler run,
    nix develop
    """,
    ",",
)
TASK_RUNNERS = _set(
    """
    npm run, npm run-script, pnpm run, yarn run, bun run, mise run, mise r, deno task, nx run, turbo
  run, task, poe, just,
    make, gmake, rake, turbo, nx, gradle, gradlew, gradlew.bat, mvn, mvnw
    """,
    ",",
)
SHELLS = _set("bash sh zsh dash ksh fish")
INTERPRETERS = _set(
    "python python3 py pypy pypy3 node nodejs ruby perl tsx ts-node php lua Rscript osascript"
)
UPDATE_FLAGS = _set("""
    -u --update --updateSnapshot --update-snapshot --update-snapshots --snapshot-update -update
  --update-goldens
    --update-golden --force-regen -update-golden --accept --inline-snapshot=fix
  --inline-snapshot=create
    --inline-snapshot=update --regen-all
    """)
TESTERS = _set(
    "go jest vitest pytest playwright cargo npm pnpm yarn bun mise make ava cypress bats mocha"
)
# Names that so many directories have that they alone point to no file.
COMMON_NAMES = _set("""
    index.ts index.js index.tsx index.jsx index.html index.md main.go main.py main.rs main.ts
  main.js main.c main.cpp
    __init__.py __main__.py README.md readme.md LICENSE CHANGELOG.md package.json tsconfig.json
  mod.rs lib.rs utils.py utils.ts
    utils.js types.ts types.go doc.go config.py config.ts config.go config.json models.py views.py
  urls.py tests.py test.py
    conftest.py setup.py app.py app.ts app.js App.tsx page.tsx layout.tsx route.ts styles.css
  style.css Makefile Dockerfile
    go.mod go.sum Cargo.toml pyproject.toml requirements.txt SKILL.md CLAUDE.md AGENTS.md .gitignore
  helpers.ts helpers.py
    constants.ts errors.go utils.go util.go test.js test.ts settings.json config.yaml config.yml
  config.toml data.json main.css
    """)
