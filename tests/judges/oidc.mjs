// An authorization server: `node oidc.mjs MODULES RESOURCE OPAQUE`, with oidc-provider, on a free port of loopback.
// Tokens of the clients `ann` and `bob` live five minutes, those of `brief` and of `desk`, a program of a person, a second. `gateway` may exchange and introspect
// tokens. Tokens for the resource OPAQUE are no JWTs. Whoever logs in consents, and clients register.
// POST /rotate makes a new key and forgets the old one. Prints its URL.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
const require = createRequire(process.argv[2] + "/");
const load = async (name) => import(pathToFileURL(require.resolve(name)));
const { Provider } = await load("oidc-provider");
const jose = await load("jose");
const RESOURCE = process.argv[3];
const API = "https://api.example.com";
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const SCOPES = "books:read books:write";

function key() {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { ...privateKey.export({ format: "jwk" }), kid: randomUUID(), alg: "RS256", use: "sig" };
}

function client(client_id) {
  if (client_id === "desk") {
    const grant_types = ["authorization_code", "refresh_token"];
    const redirect_uris = ["http://127.0.0.1:33333/callback"];
    return { client_id, token_endpoint_auth_method: "none", application_type: "native", grant_types, redirect_uris };
  }
  const grant_types = client_id === "gateway" ? [EXCHANGE] : ["client_credentials"];
  return { client_id, client_secret: `${client_id}-secret-0123456789`, grant_types, redirect_uris: [], response_types: [] };
}

function resourceServer(resource, { clientId }) {
  return {
    scope: resource === API ? "api" : SCOPES,
    audience: resource,
    accessTokenTTL: ["brief", "desk"].includes(clientId) ? 1 : 300,
    accessTokenFormat: resource === process.argv[4] ? "opaque" : "jwt",
    jwt: { sign: { alg: "RS256" } },
  };
}

function authority(url, jwk) {
  const provider = new Provider(url, {
    clients: ["ann", "bob", "brief", "desk", "gateway"].map(client),
    jwks: { keys: [jwk] },
    scopes: [...SCOPES.split(" "), "api", "offline_access"],
    pkce: { required: () => true },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: true },
      registration: { enabled: true },
      introspection: { enabled: true, allowedPolicy: (context, client) => client.clientId === "gateway" },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        getResourceServerInfo: (context, resource, client) => resourceServer(resource, client),
      },
    },
    extraTokenClaims: (context, token) => token.extra,
  });
  provider.on("server_error", (context, error) => console.error(error));
  provider.registerGrantType(EXCHANGE, async (context) => {
    const { client, params } = context.oidc;
    const keys = jose.createLocalJWKSet({ keys: [{ kty: jwk.kty, n: jwk.n, e: jwk.e, kid: jwk.kid, alg: jwk.alg }] });
    const { payload } = await jose.jwtVerify(params.subject_token, keys, { issuer: url, audience: RESOURCE, typ: "at+jwt" });
    const token = new provider.ClientCredentials({ client, scope: "api" });
    token.resourceServer = new provider.ResourceServer(API, resourceServer(API, client));
    token.extra = { on_behalf_of: payload.sub };
    context.body = {
      access_token: await token.save(),
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      token_type: "Bearer",
      expires_in: token.expiration,
    };
  }, ["subject_token", "subject_token_type", "requested_token_type", "audience", "scope"]);
  return provider.callback();
}

let serve;
const server = createServer((request, response) => {
  if (request.url !== "/rotate") return serve(request, response);
  serve = authority(url, key());
  response.end();
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const url = `http://127.0.0.1:${server.address().port}`;
serve = authority(url, key());
console.log(url);
