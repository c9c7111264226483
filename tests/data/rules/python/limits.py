import logging
import zipfile

import requests
from flask import request

log = logging.getLogger(__name__)


def download(url, options):
    # VULN: request-no-timeout
    requests.get(url)
    # VULN: request-no-timeout
    requests.post(url, json={"a": 1})
    # SAFE: request-no-timeout
    requests.get(url, timeout=10)
    # SAFE: request-no-timeout
    requests.get(url, **options)


def unpack(path, target):
    with zipfile.ZipFile(path) as archive:
        # VULN: archive-unlimited
        archive.extractall(target)
    other = zipfile.ZipFile(path)
    # VULN: archive-unlimited
    other.extractall()
    # SAFE: archive-unlimited
    other.extract("one.txt")
    # SAFE: archive-unlimited
    other.namelist()


def logs():
    # VULN: log-tainted
    log.info("user %s", request.args["user"])
    # VULN: log-tainted
    logging.warning(f"no page {request.args.get('page')}")
    # SAFE: log-tainted
    log.info("user %r", request.args["user"])
    # SAFE: log-tainted
    log.info("number %s", int(request.args["number"]))
    # SAFE: log-tainted
    log.info("done")
