"""An identity provider by django-oauth-toolkit: two public clients and a user. Arguments: port, password, redirect URI."""

import sys
from wsgiref.simple_server import WSGIServer, make_server
from socketserver import ThreadingMixIn

import django
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings
from django.contrib import admin
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.urls import include, path

port, password, redirect_uri = int(sys.argv[1]), sys.argv[2], sys.argv[3]
key = rsa.generate_private_key(public_exponent=65537, key_size=2048)

settings.configure(
    SECRET_KEY="of-this-test",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "provider.sqlite3"}},
    INSTALLED_APPS=[
        "django.contrib.admin",
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.messages",
        "django.contrib.sessions",
        "oauth2_provider",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                ]
            },
        }
    ],
    LOGIN_URL="/admin/login/",
    STATIC_URL="/static/",
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True,
        "OIDC_RSA_PRIVATE_KEY": key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode(),
        "SCOPES": {"openid": "OpenID Connect"},
    },
)
django.setup()
call_command("migrate", verbosity=0)

from django.contrib.auth import get_user_model  # noqa: E402
from oauth2_provider.models import get_application_model  # noqa: E402

get_user_model().objects.create_superuser("alice", "alice@example.com", password)
for client_id in ("console", "web-app"):
    get_application_model().objects.create(
        client_id=client_id,
        client_type="public",
        authorization_grant_type="authorization-code",
        redirect_uris=redirect_uri,
        algorithm="RS256",
        skip_authorization=True,
    )

urlpatterns = [path("admin/", admin.site.urls), path("o/", include("oauth2_provider.urls", namespace="oauth2_provider"))]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


make_server("127.0.0.1", port, get_wsgi_application(), server_class=Server).serve_forever()
