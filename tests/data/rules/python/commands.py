import argparse
import asyncio
import os
import shlex
import subprocess
import sys

from fastapi import FastAPI
from flask import request

api = FastAPI()


@api.get("/run")
async def run(host: str, count: int, options: str):
    # VULN: command-tainted command-built
    os.system("ping " + host)
    # VULN: command-tainted command-built
    await asyncio.create_subprocess_shell(f"ping {host}")
    # VULN: command-tainted command-built
    subprocess.run(f"ping {options}", shell=True)
    # SAFE: command-built
    subprocess.run(f"ping -c {count}", shell=True)
    for name in ["one", "two"]:
        # SAFE: command-built
        os.system(f"ls {name}")
    tool = "which" if options else "where"
    # SAFE: command-built
    os.system(f"{tool} ls")
    # SAFE: command-tainted command-built shell-true
    subprocess.run(["ping", "-c", "1", host])
    # SAFE: command-tainted command-built
    os.system("ping " + shlex.quote(host))


def terminal():
    args = argparse.ArgumentParser().parse_args()
    # VULN: command-tainted shell-true
    subprocess.check_output(args.command, shell=True)
    # VULN: command-tainted command-built
    os.popen("ls " + sys.argv[1])
    # SAFE: command-tainted command-built
    os.popen("ls " + str(int(sys.argv[1])))
    # SAFE: command-tainted
    subprocess.run(["ls", sys.argv[1]])


def built(name, command, parts):
    # VULN: command-built
    subprocess.call("tar xf %s" % name, shell=True)
    # VULN: command-built
    subprocess.run(["bash", "-c", f"cd {name} && make"])
    line = "git checkout {}".format(name)
    # VULN: command-built shell-true
    subprocess.Popen(line, shell=True)
    # VULN: shell-true
    subprocess.run(command, shell=True)
    # VULN: shell-true
    os.system(command)
    # VULN: shell-true
    subprocess.run(["/bin/sh", "-c", command])
    # SAFE: command-built shell-true
    subprocess.run("git status | wc -l", shell=True)
    # SAFE: command-built shell-true
    os.system("clear")
    # SAFE: command-built shell-true
    subprocess.run(["bash", "-c", "set -e; make"])
    # SAFE: command-built
    subprocess.run(f"{shlex.quote(name)} --version", shell=True)
    # SAFE: shell-true
    subprocess.run(shlex.join(parts), shell=True)
    # SAFE: command-built
    subprocess.run([name, "-c", command])
