"""Exchanges a workload's tokens by OAuth clients for Python. Prints a line for each: the client and the access token."""

import sys

from authlib.integrations.requests_client import OAuth2Session
from google.auth import identity_pool
from google.auth.transport.requests import Request

token_url, issuer, rule, *files = sys.argv[1:]
JWT = "urn:ietf:params:oauth:token-type:jwt"
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"

for name, secret in (("google-auth", "any"), ("google-auth without a secret", None)):
    credentials = identity_pool.Credentials(
        audience=issuer,
        subject_token_type=JWT,
        token_url=token_url,
        credential_source={"file": files.pop()},
        client_id=rule,
        client_secret=secret,
        scopes=["conversations:read"],
    )
    credentials.refresh(Request())
    print(f"{name}\t{credentials.token}")

for method, secret in (("none", None), ("client_secret_basic", "any"), ("client_secret_post", "any")):
    session = OAuth2Session(rule, secret, token_endpoint_auth_method=method)
    with open(files.pop()) as file:
        token = session.fetch_token(
            token_url, grant_type=EXCHANGE, subject_token=file.read(), subject_token_type=JWT, scope="conversations:read"
        )
    print(f"Authlib by {method}\t{token['access_token']}")
    session.close()
