import hashlib
import random
import secrets
import ssl

import aiohttp
import jwt
import paramiko
import requests
from Crypto.Cipher import AES, ARC4, DES
from Crypto.PublicKey import RSA
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


def hashes(password, data):
    # VULN: password-hash
    hashlib.sha256(password.encode())
    # VULN: password-hash weak-hash
    hashlib.md5(user.password.encode())
    # SAFE: password-hash
    hashlib.scrypt(password.encode(), salt=b"x", n=2, r=8, p=1)
    # SAFE: password-hash weak-hash
    hashlib.sha256(data)
    # VULN: weak-hash
    hashlib.md5(data)
    # VULN: weak-hash
    hashlib.new("sha1", data)
    # SAFE: weak-hash
    hashlib.md5(data, usedforsecurity=False)
    # SAFE: weak-hash
    content_hash = hashlib.md5(data).hexdigest()
    # SAFE: weak-hash
    cache[hashlib.sha1(data).hexdigest()] = data
    # VULN: weak-hash
    token_hash = hashlib.sha1(data).hexdigest()


def ciphers(key, data):
    # VULN: weak-cipher
    ARC4.new(key)
    # VULN: weak-cipher
    AES.new(key, AES.MODE_ECB)
    # VULN: weak-cipher
    Cipher(algorithms.AES(key), modes.ECB())
    # SAFE: weak-cipher
    AES.new(key, AES.MODE_GCM)
    # SAFE: weak-cipher
    Cipher(algorithms.AES(key), modes.GCM(b"0"))
    # VULN: short-key
    rsa.generate_private_key(public_exponent=65537, key_size=1024)
    # VULN: short-key
    RSA.generate(512)
    # SAFE: short-key
    RSA.generate(4096)
    # SAFE: short-key
    rsa.generate_private_key(public_exponent=65537, key_size=2048)


def numbers(items):
    # VULN: weak-random
    token = random.getrandbits(64)
    # VULN: weak-random
    self.session_id = "".join(random.choice("abc") for _ in range(9))
    # SAFE: weak-random
    item = random.choice(items)
    # SAFE: weak-random
    token2 = secrets.token_hex()
    return token, item, token2


def transport(client, context):
    # VULN: tls-unverified
    requests.get("https://a.example", verify=False, timeout=5)
    # VULN: tls-unverified
    context.verify_mode = ssl.CERT_NONE
    # VULN: tls-unverified
    client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
    # SAFE: tls-unverified
    requests.get("https://a.example", verify="/etc/ca.pem", timeout=5)
    # SAFE: tls-unverified
    context.verify_mode = ssl.CERT_REQUIRED
    # SAFE: tls-unverified
    client.set_missing_host_key_policy(paramiko.RejectPolicy())
    # VULN: tls-old
    ssl.SSLContext(ssl.PROTOCOL_TLSv1)
    # VULN: tls-old
    context.minimum_version = ssl.TLSVersion.TLSv1_1
    # SAFE: tls-old
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # SAFE: tls-old
    ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def tokens(token, key):
    # VULN: jwt-unverified
    jwt.decode(token, options={"verify_signature": False})
    # VULN: jwt-unverified
    jwt.decode(token, key, algorithms=["none", "HS256"])
    # SAFE: jwt-unverified
    jwt.decode(token, key, algorithms=["HS256"])
    # SAFE: jwt-unverified
    jwt.encode({}, key, algorithm="HS256")
