"""Text that must never run anywhere."""

from __future__ import annotations

EVIL = "<script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)>\u202e=cmd()\x1b[31m"
