# That of pyproject.toml, which a copy of the package within an app does not have.
VERSION = "0.1.0"
# By which a service's operator sees which versions are in use.
USER_AGENT = f"latchkey-python/{VERSION}"
