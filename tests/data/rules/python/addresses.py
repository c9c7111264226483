import aiohttp
import httpx
import requests
from django.http import HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from fastapi import FastAPI
from flask import Flask, redirect, request, url_for

app = Flask(__name__)
api = FastAPI()
HOSTS = {"a": "https://a.example"}


@api.get("/proxy")
async def proxy(url: str, item: int):
    async with httpx.AsyncClient() as client:
        # VULN: url-tainted
        await client.get(url)
        # SAFE: url-tainted
        await client.get(f"https://api.example/items/{item}")
    # VULN: url-tainted
    return httpx.post(url, json={})


def flask_proxy():
    # VULN: url-tainted
    requests.get(request.args["url"], timeout=5)
    # VULN: url-tainted
    requests.get("https://" + request.args["host"] + "/status", timeout=5)
    # SAFE: url-tainted
    requests.get("https://api.example/search", params={"q": request.args["q"]}, timeout=5)
    # SAFE: url-tainted
    requests.get("https://api.example/items/" + request.args["id"], timeout=5)


@app.get("/leave")
def leave():
    target = request.args.get("next")
    if target == "1":
        # VULN: redirect-tainted
        return redirect(target)
    if target == "2":
        # VULN: redirect-tainted
        return HttpResponseRedirect(request.GET["to"])
    if target == "3":
        # SAFE: redirect-tainted
        return redirect(url_for("index"))
    if target == "4":
        # SAFE: redirect-tainted
        return redirect(f"/items/{target}")
    if not url_has_allowed_host_and_scheme(target, None):
        # SAFE: redirect-tainted
        return redirect("/")
    # SAFE: redirect-tainted
    return redirect(target)
