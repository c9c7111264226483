import ftplib
import os
import tempfile
from pathlib import Path

import requests


def transport():
    # VULN: clear-text
    requests.get("http://files.a-company.net/x", timeout=5)
    # VULN: clear-text
    ftplib.FTP("files.a-company.net")
    # SAFE: clear-text
    requests.get("https://files.a-company.net/x", timeout=5)
    # SAFE: clear-text
    requests.get("http://localhost:8000/x", timeout=5)
    # SAFE: clear-text
    ftplib.FTP_TLS("files.a-company.net")


def temporary():
    # VULN: temporary-name
    tempfile.mktemp()
    # VULN: temporary-name
    open(tempfile.mktemp(".x"), "w")
    # SAFE: temporary-name
    tempfile.mkstemp()
    # SAFE: temporary-name
    tempfile.NamedTemporaryFile()
    # VULN: temporary-fixed
    open("/tmp/app.log", "w")
    # VULN: temporary-fixed
    Path("/tmp/app.json").write_text("{}")
    # SAFE: temporary-fixed
    open("/var/lib/app.log", "w")
    # SAFE: temporary-fixed
    open("/tmp/app.log", "r")


def modes(path):
    # VULN: file-mode
    os.chmod(path, 0o777)
    # VULN: file-mode
    os.makedirs(path, mode=0o777)
    # VULN: file-mode
    os.umask(0)
    # SAFE: file-mode
    os.chmod(path, 0o755)
    # SAFE: file-mode
    os.makedirs(path, mode=0o700)
    # SAFE: file-mode
    os.umask(0o077)
