// An issuer of tokens on loopback: oidc-provider, with users that sign in and agree by themselves.
//
//     node issuer.mjs
//
// prints `listening on http://ADDR` to stderr, and `granted TYPE` for each token that it issues. The user of a sign-in is its `login_hint`. Tokens are JWTs for the resource that is
// asked for.

import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

import { Provider } from "oidc-provider";

/** The scopes that the issuer gives out, whoever asks: what a user may do at all is up to the resource. */
const SCOPES = ["node.view", "node.create", "node.edit", "node.translate", "node.publish", "node.delete"];

/** Returns a private key as a JWK. */
function key(kid, type, options) {
  const { privateKey } = generateKeyPairSync(type, options);
  return { ...privateKey.export({ format: "jwk" }), kid, use: "sig" };
}

const configuration = {
  clientAuthMethods: ["none"],
  cookies: { keys: ["not a secret: the issuer lives as long as a test"] },
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_context, resource) => ({
        accessTokenFormat: "jwt",
        audience: resource,
        jwt: { sign: { alg: "ES256" } },
        scope: SCOPES.join(" "),
      }),
    },
  },
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
  jwks: { keys: [key("signing", "ec", { namedCurve: "P-256" }), key("other", "rsa", { modulusLength: 2048 })] },
  scopes: ["openid", "offline_access", ...SCOPES],
};

/** Signs the user in, or agrees to what is asked for. */
async function interact(provider, request, response) {
  const { params, prompt, session } = await provider.interactionDetails(request, response);
  let result;
  if (prompt.name === "login") {
    result = { login: { accountId: params.login_hint } };
  } else {
    const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
    grant.addOIDCScope(params.scope);
    for (const [resource, scopes] of Object.entries(prompt.details.missingResourceScopes ?? {})) {
      grant.addResourceScope(resource, scopes.join(" "));
    }
    result = { consent: { grantId: await grant.save() } };
  }
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
}

/** Registers clients without the `scope` that they name first: it would keep them from asking for more later. */
async function withoutScope(context, next) {
  if (context.method === "POST" && context.path === "/reg") {
    const { scope, ...client } = await json(context.req);
    context.req.body = client;
  }
  await next();
}

const server = createServer();
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, configuration);
  provider.use(withoutScope);
  provider.on("grant.success", ({ oidc }) => console.error(`granted ${oidc.params.grant_type}`));
  const answer = provider.callback();
  server.on("request", (request, response) => {
    if (request.url.startsWith("/interaction/")) {
      interact(provider, request, response).catch((error) => {
        console.error(error);
        response.writeHead(500).end();
      });
    } else {
      answer(request, response);
    }
  });
  console.error(`listening on ${issuer}`);
});
