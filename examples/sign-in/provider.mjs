// An OpenID provider for trying out sign-in on one machine: anyone may sign in as any person.
//   node provider.mjs PORT REDIRECT_URI      the client is `fermata`, its secret `a secret to try with`
// Prints a line of JSON when it listens.
import Provider from 'oidc-provider';

const [port, redirect] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;

// The claims about people besides their names.
const people = {
  ada: { name: 'Ada Lovelace', groups: ['staff', 'fermata-admins'], fermata_workspaces: ['default'] },
  ben: { name: 'Ben', groups: ['staff'], fermata_workspaces: ['default'] },
  eve: { name: 'Eve', groups: ['guests'], fermata_workspaces: ['default'] },
  zoe: { name: 'Zoe', groups: ['staff'], fermata_workspaces: ['elsewhere'] },
};
const secret = 'a secret to try with';

const provider = new Provider(issuer, {
  clients: [
    { client_id: 'fermata', client_secret: secret, redirect_uris: [redirect], grant_types: ['authorization_code'] },
    { client_id: 'program', client_secret: secret, redirect_uris: [], response_types: [], grant_types: ['client_credentials'] },
  ],
  cookies: { keys: ['for trying only'] },
  pkce: { required: () => true },
  claims: { openid: ['sub'], profile: ['name', 'groups', 'fermata_workspaces'], email: ['email'] },
  conformIdTokenClaims: false, // all claims are in the ID token
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, name: id, ...people[id] }) }),
  extraTokenClaims: (_, token) => (token.kind === 'ClientCredentials' ? { groups: ['staff'], fermata_workspaces: ['default'] } : undefined),
  features: {
    devInteractions: { enabled: true },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_, resource) => ({ scope: '', audience: resource, accessTokenFormat: 'jwt' }),
    },
  },
});
provider.listen(Number(port), '127.0.0.1', () => console.log(JSON.stringify({ issuer })));
