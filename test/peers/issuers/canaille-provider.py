"""An identity provider by Canaille: two trusted public clients and a user. Arguments: port, password, redirect URI."""

import sys
from datetime import datetime, timezone
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIServer, make_server

from canaille import create_app
from canaille.app import models
from canaille.backends import Backend
from joserfc.jwk import RSAKey

port, password, redirect_uri = int(sys.argv[1]), sys.argv[2], sys.argv[3]
key = RSAKey.generate_key(2048, {"alg": "RS256", "use": "sig"}, auto_kid=True)
app = create_app(
    {
        "SECRET_KEY": "of-this-test",
        "SERVER_NAME": f"127.0.0.1:{port}",
        "PREFERRED_URL_SCHEME": "http",
        "CANAILLE": {"DATABASE": "memory"},
        "CANAILLE_OIDC": {"ACTIVE_JWKS": [key.as_dict(private=True)], "TRUSTED_DOMAINS": ["127.0.0.1"]},
    }
)
with app.app_context(), Backend.instance.session():
    user = models.User(
        user_name="alice", formatted_name="Alice", family_name="Example", emails=["alice@example.com"], password=password
    )
    Backend.instance.save(user)
    for client_id in ("console", "web-app"):
        client = models.Client(
            client_id=client_id,
            client_name=client_id,
            client_id_issued_at=datetime.now(timezone.utc),
            redirect_uris=[redirect_uri],
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
            scope=["openid", "profile", "email"],
            token_endpoint_auth_method="none",
            id_token_signed_response_alg="RS256",
            client_uri=f"http://127.0.0.1:{port}",
        )
        Backend.instance.save(client)
        client.audience = [client]
        Backend.instance.save(client)


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


make_server("127.0.0.1", port, app, server_class=Server).serve_forever()
