import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PublishableService, startPublishable } from "../harness/publishable.ts";
import { createVenv, type Venv } from "./venv.ts";

const PACKAGES = ["pyjwt==2.15.1", "joserfc==1.8.0", "authlib==1.9.6", "cryptography"];
const ALGORITHMS = ["RS256", "PS256", "ES256", "ES384", "EdDSA"];

/** Makes 100 tokens with each library, half of them valid, as JSON: the key set, and each token with its library. */
const PROGRAM = `
import json
import sys
import time

import jwt
from authlib.jose import JsonWebToken
from cryptography.hazmat.primitives import serialization
from joserfc import jwt as joserfc_jwt
from joserfc.jwk import ECKey, KeySet, OKPKey, RSAKey

algorithms, claims = json.loads(sys.argv[1]), json.loads(sys.argv[2])


def generate(algorithm):
    fields = {"kid": f"key-{algorithm}", "alg": algorithm, "use": "sig"}
    if algorithm.startswith(("RS", "PS")):
        return RSAKey.generate_key(2048, fields)
    if algorithm.startswith("ES"):
        return ECKey.generate_key({"ES256": "P-256", "ES384": "P-384"}[algorithm], fields)
    return OKPKey.generate_key("Ed25519", fields)


keys = {algorithm: generate(algorithm) for algorithm in algorithms}
strangers = {algorithm: generate(algorithm) for algorithm in algorithms}


def pem(key):
    return key.as_pem(private=True).decode()


def by_pyjwt(key, algorithm, payload):
    return jwt.encode(payload, pem(key), algorithm=algorithm, headers={"kid": f"key-{algorithm}"})


def by_joserfc(key, algorithm, payload):
    header = {"alg": algorithm, "kid": f"key-{algorithm}", "typ": "JWT"}
    return joserfc_jwt.encode(header, payload, key, algorithms=[algorithm])


def by_authlib(key, algorithm, payload):
    header = {"alg": algorithm, "kid": f"key-{algorithm}"}
    token = JsonWebToken([algorithm]).encode(header, payload, pem(key))
    return token.decode() if isinstance(token, bytes) else token


CASES = [
    ("valid", True, False, {}),
    ("with more claims", True, False, {"nonce": "n", "nested": {"list": [1, None, "x"]}, "name": "Zo\\u00eb \\u2603"}),
    ("for several audiences", True, False, {"aud": ["another", claims["aud"]]}),
    ("with its times as fractions", True, False, {"iat": claims["iat"] + 0.5, "exp": claims["exp"] + 0.25}),
    ("for another user", True, False, {"sub": "user-2"}),
    ("expired", False, False, {"exp": claims["iat"] - 3600, "iat": claims["iat"] - 7200}),
    ("for another audience", False, False, {"aud": "another"}),
    ("of another issuer", False, False, {"iss": "https://another.example"}),
    ("not valid yet", False, False, {"nbf": claims["exp"] + 3600, "exp": claims["exp"] + 7200}),
    ("signed by a stranger", False, True, {}),
]

tokens = []
for library, sign in (("PyJWT", by_pyjwt), ("joserfc", by_joserfc), ("Authlib", by_authlib)):
    for algorithm in algorithms:
        for name, is_valid, by_stranger, changes in CASES:
            for turn in range(2):
                key = (strangers if by_stranger else keys)[algorithm]
                token = sign(key, algorithm, {**claims, **changes, "jti": f"{name}-{turn}"})
                tokens.append({"of": f"{library} {algorithm} {name}", "token": token, "valid": is_valid})
print(json.dumps({"keys": [key.as_dict(private=False) for key in keys.values()], "tokens": tokens}))
`;

interface Made {
  readonly keys: readonly unknown[];
  readonly tokens: readonly { readonly of: string; readonly token: string; readonly valid: boolean }[];
}

let service: PublishableService;
let venv: Venv;
beforeAll(async () => {
  venv = await createVenv(...PACKAGES);
  service = await startPublishable();
}, 300_000);
afterAll(async () => {
  await service?.latchkey.close();
  await service?.keyHost.close();
  await venv?.remove();
});

test("300 tokens by three libraries are admitted or denied as they should, by verify and by check-oidc", async ({
  task,
}) => {
  const app = await service.newApp();
  await writeFile(join(venv.dir, "tokens.py"), PROGRAM);
  const args = ["-W", "ignore", "tokens.py", JSON.stringify(ALGORITHMS), JSON.stringify(app.claims())];
  // Warnings of the libraries follow it.
  const [json = ""] = (await venv.run("python", args, { cwd: venv.dir })).split("\n");
  const { keys, tokens }: Made = JSON.parse(json);
  app.document.publish(...keys);
  const dashboard = await service.latchkey.dashboard(app.tenant);
  const wrong: string[] = [];
  for (const { of, token, valid } of tokens) {
    const verified = await app.verify(token);
    const checked = await service.latchkey.call("/api/v1/api-keys/check-oidc", { key_id: app.keyId, token }, dashboard);
    const verdict = { verify: verified.status === 200, check: checked.json.passed };
    if (verdict.verify !== valid || verdict.check !== valid) wrong.push(`${of}: ${JSON.stringify(verdict)}`);
  }
  expect(wrong).toEqual([]);
  expect(tokens).toHaveLength(300);
  task.meta.figures = `${tokens.length} tokens, 3 libraries`;
}, 170_000);
