"""Secrets do not reach the database, in plain text or inside JSON, and ordinary text is left as
it is.
"""

from __future__ import annotations

import json
import re
import time
from itertools import pairwise

import pytest
from support.planted_secrets import Planted, left, planted

from collector.storage import redaction
from collector.storage.redaction import secrets_out
from collector.text import SECRET

# a line that a diff removes, and one of a file that an agent read
BEFORE_LINES = ("-", " 12\u2192")
PLANTED = planted("first") + planted("second") + planted("fourth") + planted("fifth")


def in_json(text: str, depth: int, ascii_alone: bool = True) -> str:
    for _ in range(depth):
        text = json.dumps({"command": text}, ensure_ascii=ascii_alone)
    return text


def missed(secret: Planted) -> list[str]:
    """What is still there of a secret, in plain text, as removed lines, as numbered ones, and in
    up to three layers of JSON.
    """
    forms = {
        in_json(secret.text, depth, ascii_alone)
        for depth in range(4)
        for ascii_alone in (True, False)
    }
    forms |= {
        in_json(re.sub("(?m)^", sign, secret.text), depth, ascii_alone=False)
        for depth in range(3)
        for sign in BEFORE_LINES
    }
    return [
        part
        for form in forms
        for value in secret.secrets
        for part in left(value, secrets_out(form))
    ]


@pytest.mark.parametrize("secret", PLANTED, ids=lambda secret: secret.kind)
def test_a_planted_secret_is_taken_out_and_leaves_as_many_lines(secret: Planted) -> None:
    assert secret.secrets and not missed(secret)
    for text, end in ((secret.text, "\n"), (in_json(secret.text, 1), "\\n")):
        assert secrets_out(text).count(end) == text.count(end)


@pytest.mark.parametrize("before", ["+", "~", "--name=", "*** Add File: x\n+", "> * "])
def test_a_token_is_found_whatever_stands_before_it(before: str) -> None:
    token = "gh" + "p_" + "a1B2" * 9
    assert secrets_out(f"{before}{token}\n") == f"{before}{SECRET}\n"


def test_most_of_a_third_set_is_taken_out() -> None:
    """Of 225 kinds planted before the rules were changed 151 were found, 168 by rules made for
    the second set; now 215.
    """
    third = planted("third")
    assert sum(not missed(secret) for secret in third) >= 215


@pytest.mark.parametrize(
    "text",
    [
        "snykToken: a1B2c3D4e5F6g7H8i9J0, mapsKey: a1B2c3D4e5F6g7H8i9J0",
        "BW_SESSION=a1B2c3D4e5F6g7H8i9J0",
        "the AWS secret q7RtLs0pWzVbN/K2XdFhG/aMyCkE9uJi4oT8vYx5 please",
        "key: `q7RtLs0pWzVbN/K2XdFhG/aMyCkE9uJi4oT8vYx5`",
    ],
)
def test_a_value_beside_a_name_that_ends_as_keys_do_and_one_with_slashes_are_taken_out(
    text: str,
) -> None:
    assert not re.search("a1B2|W7|q7Rt|8vYx5", secrets_out(in_json(text, 2)))


ORDINARY = (
    (
        "build = a1B2c3D4e5F6g7H8i9J0; cache_key = a1B2c3D4e5F6g7H8i9J0; v.Token ="
        " newLimiterPer5mOver1h(b); password=Wachtwoord; keys.kidSigEnc1, data.OAuth2User"
    ),
    (
        "datadog a1B2c3D4e5F6g7H8i9J0; the key e83c5163316f89bfbde7d9ab23ca2e25604af290 stays, the"
        " key q7RtLs0pWzVbN/K2XdFhG/aMyCkE9uJi4oT8vYx5/x stays"
    ),
    (
        "The password field must not be empty; see tests/test_password_reset.py and the token_count"
        " column."
    ),
    (
        "const token = await getToken();\nconst apiKey = process.env.API_KEY;\nconst password ="
        " req.body.password"
    ),
    (
        'token: "string", password: "password", secret: "your-secret-here", key: "primary_key",'
        ' api_key="${API_KEY}"'
    ),
    (
        '{"token_type": "bearer", "input_tokens": 123456789, "max_tokens": 32000, "tokenizer":'
        ' "cl100k_base"}'
    ),
    (
        "git show 3f786850e387550fdab836ed7e6dc881de23001b && sha1sum"
        " 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"
    ),
    (
        "uuid 123e4567-e89b-12d3-a456-426614174000 in"
        " src/components/authentication/PasswordResetForm.tsx:120"
    ),
    (
        "grep -rn 'api_key' --include='*.py' . | head -20; export PATH=$PATH:/usr/local/bin; docker"
        " run -p 8080:8080 app"
    ),
    (
        "https://github.com/owner/name/blob/main/docs/tokens.md?plain=1#L12 and"
        " https://host.test/?page=2&sort=keyword"
    ),
    (
        "PRIMARY_KEY=id; SORT_KEY=created_at; KEY_PREFIX=app_cache_; TOKEN_LIMIT=4096;"
        " SESSION_SECRET=$(openssl rand -hex 32)"
    ),
    (
        "mkdir -p src/tokens && mv pass-through.ts src/tokens/ && python -m pytest -u tests -k"
        " 'token or secret'"
    ),
    (
        "i18n: { passwordLabel: 'Enter your password', passwordError: 'Must have 8 characters',"
        " forgotPassword: 'Forgot it?' }"
    ),
    "git clone https://github.com/o/r && git clone git@github.com:o/r.git && ssh user@host:22",
    (
        "Paste the whole key, including `-----BEGIN OPENSSH PRIVATE KEY-----`, and save. The rest"
        " is about something else."
    ),
    (
        'I will fix 1Password, "description1" - PASS: `make test-2 all`\n'
        'printf "$DOCKER_PASSWORD" | docker login --password-stdin quay.io\n'
        '{"pwd": "/home/src/app1", "token_sha256": "811fc2dd0a9f86d081884c7d659a2feaa0c55ad015"}'
        " wsl wslpath -u C:/Users/jo/x1"
    ),
    (
        "The password is required. A password is hashed with bcrypt-12; the password must be 8-64"
        " characters; das Passwort ist falsch."
    ),
    (
        "password: z.string().min(8), passwordHash: sha256(password2), token is refreshed every"
        " 24h; the key is user_id_2 in table t1"
    ),
    (
        "le mot de passe est obligatoire, la contraseña es incorrecta, パスワードは必須です,"
        " 密码不能为空, пароль не подходит"
    ),
    (
        "the seed phrase has twelve words, which the wallet shows once and for all, and the user"
        " writes them down on a sheet of paper"
    ),
    (
        "client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJ; cookie:"
        " consent=accepted; cookie: theme=dark"
    ),
    (
        '{"js-tokens": "^4.0.0", "jsonwebtoken": "^9.0.2"} PublicKeyToken=adb9793829ddae60'
        " serverKey: P256.Signing.PrivateKey?"
    ),
    (
        "mysql -u root -p shop < dump.sql; echo done | sudo tee /etc/x; docker run -p"
        " 127.0.0.1:80:80; git push -u origin a:main2"
    ),
    (
        's3_secret_key = "env(S3_SECRET_KEY)"; @pytest.mark.parametrize(("username", "password",'
        ' "message"), rows)'
    ),
    (
        "SLACK_TOKEN=xoxb-xxxxxxxxxxxxxxxx; unzip -p a1.zip word; connect app/main1;"
        " wallet('primary-wallet-name-2')"
    ),
    (
        "client('https://host.test/v1/users'); cookies = {'theme': 'dark-mode-of-2026-and-later'};"
        " TRUE\tx\tFALSE\t12\tname\tlow"
    ),
    "data-testid='password-input-2' className='token-list__item--v2' aria-label='API key 1'",
)


@pytest.mark.parametrize("text", ORDINARY)
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_ordinary_text_stays(text: str, depth: int) -> None:
    assert secrets_out(in_json(text, depth)) == in_json(text, depth)


@pytest.mark.parametrize(
    "place",
    redaction._PLACES,
    ids=lambda p: p.pattern.pattern[:20],
)
def test_trying_only_where_a_word_begins_finds_what_trying_everywhere_finds(
    place: redaction._Place,
) -> None:
    texts = [
        in_json(f"{a.text} {b.text}", depth) for a, b in pairwise(PLANTED) for depth in range(3)
    ]
    texts += ["passecret_token=a1b2c3d4e5", "token: token = 'aB3$aB3$x' PASSWORD=q1w2e3r4t5"]
    for text in texts:
        assert place.mark(text, redaction._words_of(text)) == place.pattern.sub(
            place.replacement, text
        )


def test_letters_that_become_two_in_small_letters_shift_nothing() -> None:
    assert (
        secrets_out("\u0130" * 9 + " API_TOKEN=a1b2c3d4e5f6 " + "\u0130" * 300)
        == "\u0130" * 9 + f" API_TOKEN={SECRET} " + "\u0130" * 300
    )


def test_what_stands_around_a_secret_stays() -> None:
    assert (
        secrets_out("psql postgres://app:x9x9x9@db:5432/app -c 'select 1'")
        == f"psql postgres://app:{SECRET}@db:5432/app -c 'select 1'"
    )
    assert (
        json.loads(secrets_out(json.dumps({"k": json.dumps({"password": "p4ssw0rd!x9"})})))["k"]
        == f'{{"password": "{SECRET}"}}'
    )


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
    "table": "name, token, note\n" * 40_000,
    "ids": "".join(f'"id": "{number:x}-a1B2c3D4e5F6g7H8"\n' for number in range(80_000)),
}


@pytest.mark.parametrize("name", HEAVY)
def test_no_text_takes_long(name: str) -> None:
    started = time.process_time()
    secrets_out(HEAVY[name])
    assert time.process_time() - started < 10
