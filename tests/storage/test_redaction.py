"""Secrets do not reach the database, in plain text or inside JSON, and ordinary text is left as it is."""

from __future__ import annotations

import json
import time
from itertools import pairwise

import pytest
from support.planted_secrets import PLANTED, Planted

from collector.storage import redaction
from collector.storage.redaction import MARK, secrets_out

IDS = [one.kind for one in PLANTED]


def in_json(text: str, depth: int) -> str:
    for _ in range(depth):
        text = json.dumps({"command": text})
    return text


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
@pytest.mark.parametrize("planted", PLANTED, ids=IDS)
def test_a_planted_secret_is_taken_out(planted: Planted, depth: int) -> None:
    stored = secrets_out(in_json(planted.text, depth))
    assert MARK in stored
    assert in_json(planted.secret, depth).strip('"{} ') not in stored
    for line in planted.secret.split("\n"):
        assert line not in stored and line[-8:] not in stored


ORDINARY = (
    "The password field must not be empty; see tests/test_password_reset.py and the token_count column.",
    "const token = await getToken();\nconst apiKey = process.env.API_KEY;\nconst password = req.body.password",
    'token: "string", password: "password", secret: "your-secret-here", key: "primary_key", api_key="${API_KEY}"',
    '{"token_type": "bearer", "input_tokens": 123456789, "max_tokens": 32000, "tokenizer": "cl100k_base"}',
    "git show 3f786850e387550fdab836ed7e6dc881de23001b && sha1sum 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "uuid 123e4567-e89b-12d3-a456-426614174000 in src/components/authentication/PasswordResetForm.tsx:120",
    "grep -rn 'api_key' --include='*.py' . | head -20; export PATH=$PATH:/usr/local/bin; docker run -p 8080:8080 app",
    "https://github.com/owner/name/blob/main/docs/tokens.md?plain=1#L12 and https://host.test/?page=2&sort=keyword",
    "PRIMARY_KEY=id; SORT_KEY=created_at; KEY_PREFIX=app_cache_; TOKEN_LIMIT=4096; SESSION_SECRET=$(openssl rand -hex 32)",
    "mkdir -p src/tokens && mv pass-through.ts src/tokens/ && python -m pytest -u tests -k 'token or secret'",
    "i18n: { passwordLabel: 'Enter your password', passwordError: 'Must have 8 characters', forgotPassword: 'Forgot it?' }",
    "git clone https://github.com/o/r && git clone git@github.com:o/r.git && ssh user@host:22",
    "Paste the whole key, including `-----BEGIN OPENSSH PRIVATE KEY-----`, and save. The rest is about something else.",
    '{"pwd": "/home/src/app1", "token_sha256": "811fc2dd0a9f86d081884c7d659a2feaa0c55ad015"} wsl wslpath -u C:/Users/jo/x1',
    '["I will fix 1Password", "description1"] - PASS: `make test-2 all`',
    "data-testid='password-input-2' className='token-list__item--v2' aria-label='API key 1'",
)


@pytest.mark.parametrize("text", ORDINARY)
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_ordinary_text_stays(text: str, depth: int) -> None:
    assert secrets_out(in_json(text, depth)) == in_json(text, depth)


@pytest.mark.parametrize("place", [one for one in redaction._PLACES if one.at_word], ids=lambda one: one.pattern.pattern[:20])
def test_trying_only_where_a_word_begins_finds_what_trying_everywhere_finds(place: redaction._Place) -> None:
    texts = [in_json(f"{a.text} {b.text}", depth) for a, b in pairwise(PLANTED) for depth in range(3)]
    texts += ["passecret_token=a1b2c3d4e5", "token: token = 'aB3$aB3$x' PASSWORD=q1w2e3r4t5"]
    for text in texts:
        assert place.mark(text, redaction._starts(text, text.lower())) == place.mark(text)


def test_letters_that_become_two_in_small_letters_shift_nothing() -> None:
    assert (
        secrets_out("\u0130" * 9 + " API_TOKEN=a1b2c3d4e5f6 " + "\u0130" * 300)
        == "\u0130" * 9 + f" API_TOKEN={MARK} " + "\u0130" * 300
    )


def test_a_path_that_comes_again_is_read_once() -> None:
    before = redaction._tokens_out.cache_info()
    for _ in range(2):
        secrets_out(" ".join(["/home/jo/source/component/index.tsx"] * 500))
    after = redaction._tokens_out.cache_info()
    assert (after.misses + after.hits) - (before.misses + before.hits) == 2
    assert after.misses <= before.misses + 1


def test_what_stands_around_a_secret_stays() -> None:
    assert (
        secrets_out("psql postgres://app:x9x9x9@db:5432/app -c 'select 1'")
        == f"psql postgres://app:{MARK}@db:5432/app -c 'select 1'"
    )
    assert secrets_out('{"password": "p4ssw0rd!x9", "port": 1}') == f'{{"password": "{MARK}", "port": 1}}'
    assert json.loads(secrets_out(json.dumps({"k": json.dumps({"password": "p4ssw0rd!x9"})})))["k"] == f'{{"password": "{MARK}"}}'


HEAVY = {
    "words": "password token secret key " * 40_000,
    "assignments": "a_token = '" * 90_000,
    "quotes": "password=" + '\\"' * 500_000,
    "colons": "://a:" * 200_000,
    "one run": "a" * 1_000_000,
    "dots": "eyJhbGciOi." * 90_000,
    "options": " --token" * 120_000,
    "keys": "-----BEGIN PRIVATE KEY-----" * 30_000,
    "queries": "https://a.b/?" * 70_000,
    "names": 'password: "' + "ab_" * 300_000,
    "indented": "\n" + " " * 500_000 + "password:",
}


@pytest.mark.parametrize("name", HEAVY)
def test_no_text_takes_long(name: str) -> None:
    started = time.process_time()
    secrets_out(HEAVY[name])
    assert time.process_time() - started < 10
