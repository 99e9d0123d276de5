// Everything that is used of jwks-rsa, in one place: the build puts it into this file's compiled form. Installed as
// packages, with the types and caches that it brings, it would take 7 MB.
import jwksRsa from 'jwks-rsa';

export const { JwksClient } = jwksRsa;
