"""Secrets of many kinds as they stand in prompts and commands. Put together here: no scanner finds them."""

from __future__ import annotations

import base64
import random
import string
from dataclasses import dataclass

_RANDOM = random.Random(17)
_HEX, _WORD = "0123456789abcdef", string.ascii_letters + string.digits
_CAPITAL = string.ascii_uppercase + "234567"


def some(count: int, characters: str = _WORD) -> str:
    """At least one digit and one letter, as in what machines make."""
    return "".join(_RANDOM.choices(characters, k=count - 2)) + _RANDOM.choice("abcdef") + _RANDOM.choice("23456789")


def capitals(count: int) -> str:
    return "".join(_RANDOM.choices(_CAPITAL, k=count))


def jwt() -> str:
    head, body = (base64.urlsafe_b64encode(text).decode().rstrip("=") for text in (b'{"alg":"HS256"}', b'{"sub":"1234567890"}'))
    return f"{head}.{body}.{some(43)}"


@dataclass(frozen=True, slots=True)
class Planted:
    kind: str
    text: str  # as somebody wrote it
    secret: str  # the part of it that must not be stored


def _planted(kind: str, secret: str, around: str = "use {} for it") -> Planted:
    return Planted(kind, around.replace("{}", secret), secret)


def _key(kind: str) -> Planted:
    body = "\n".join(some(64) for _ in range(6))
    secret = f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----"
    return Planted(f"{kind or 'PKCS8 '}private key", f"write this to key.pem:\n{secret}\n", body)


PLANTED = (
    _planted("AWS access key", "AK" + "IA" + capitals(16)),
    _planted("AWS secret key", some(40), "aws_secret_access_key = {}"),
    _planted("GitHub token", "gh" + "p_" + some(36)),
    _planted("GitHub fine-grained token", "github" + "_pat_" + some(22) + "_" + some(59)),
    _planted("GitHub app token", "gh" + "s_" + some(36), 'export GITHUB_TOKEN="{}"'),
    _planted("GitLab token", "gl" + "pat-" + some(20)),
    _planted("Bitbucket token", "ATBB" + some(32)),
    _planted("Slack token", "xo" + f"xb-{some(12, string.digits)}-{some(24)}"),
    _planted("Slack webhook", f"T{capitals(8)}/B{capitals(8)}/{some(24)}", "curl -X POST https://hooks.slack.com/services/{}"),
    _planted("Discord webhook", f"{some(18, string.digits)}/{some(68)}", "https://discord.com/api/webhooks/{}"),
    _planted("Discord token", f"M{some(25)}.{some(6)}.{some(38)}"),
    _planted("Telegram token", f"{'7' * 9}:AA{some(33)}", "https://api.telegram.org/bot{}/getMe"),
    _planted("Stripe key", "sk" + "_live_" + some(24)),
    _planted("OpenAI key", "sk-" + "proj-" + some(48)),
    _planted("OpenAI key, old", "sk-" + some(20) + "T3Blbk" + "FJ" + some(20), "OPENAI_API_KEY={}"),
    _planted("Anthropic key", "sk-" + "ant-api03-" + some(93) + "AA"),
    _planted("Google API key", "AI" + "za" + some(35)),
    _planted("Google client secret", "GOC" + "SPX-" + some(28)),
    _planted("Hugging Face token", "hf" + "_" + some(34)),
    _planted("npm token", "npm" + "_" + some(36), "//registry.npmjs.org/:_authToken={}"),
    _planted("PyPI token", "py" + "pi-AgEIcHlwaS5vcmc" + some(60)),
    _planted("Docker token", "dckr" + "_pat_" + some(27)),
    _planted("SendGrid key", "S" + f"G.{some(22)}.{some(43)}"),
    _planted("Twilio key", "SK" + some(32, _HEX)),
    _planted("Mailgun key", "key-" + some(32, _HEX)),
    _planted("Mailchimp key", some(32, _HEX) + "-us14"),
    _planted("Shopify token", "shp" + "at_" + some(32, _HEX)),
    _planted("Square token", "EAAA" + some(60)),
    _planted("DigitalOcean token", "dop" + "_v1_" + some(64, _HEX)),
    _planted("Databricks token", "da" + "pi" + some(32, _HEX)),
    _planted("Vault token", "hv" + "s." + some(90)),
    _planted("Linear key", "lin" + "_api_" + some(40)),
    _planted("Sentry address", some(32, _HEX), "SENTRY_DSN=https://{}@o12345.ingest.sentry.io/67890"),
    _planted(
        "Azure storage key",
        base64.b64encode(_RANDOM.randbytes(64)).decode(),
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={}",
    ),
    _planted("JSON web token", jwt(), "curl -H 'Authorization: Bearer {}' https://api.host.test/v1"),
    _planted("bearer token", some(40), "curl -H 'Authorization: Bearer {}' https://api.host.test/v1"),
    _planted("password in an address", "Tr0ub4dor&3x", "psql postgres://app:{}@db.internal:5432/app"),
    _planted("password of curl", "s3cr3tPa55", "curl -u admin:{} https://host.test/private"),
    _planted("password of an environment", "hunter2hunter2", "export DB_PASSWORD={}"),
    _planted("short password", "hunter2", "PGPASSWORD=hunter2 psql -h db"),
    _planted("password that is a word", "correcthorse", "password = 'correcthorse'"),
    _planted("password in code", "c0rrect-h0rse", "const dbPassword = '{}';"),
    _planted("password in JSON", "p4ssw0rd!x9", '{"user": "app", "password": "{}"}'),
    _planted("password in YAML", "zx81spectrum", "db:\n  user: app\n  password: {}\n  port: 5432"),
    _planted("password as an option", "pl4int3xt", "tool login --user app --password {} --verbose"),
    _planted("password in .netrc", "n3trcpass", "machine host.test login me password {}"),
    _planted("signed address", some(43), "https://acct.blob.core.windows.net/c/b.zip?sv=2024&sig={}&se=2026"),
    _planted("Django secret key", "k2#n" + some(40), 'SECRET_KEY = "django-insecure-{}"'),
    _key("RSA "),
    _key("OPENSSH "),
    _key(""),
)  # fmt: skip
