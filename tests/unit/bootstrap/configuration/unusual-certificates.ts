/** A self-signed certificate of localhost for a hundred years, and its key. */
export interface UnusualCertificate {
  readonly key: string;
  readonly cert: string;
}

const pem = (label: string, base64: string): string => `-----BEGIN ${label}-----\n${base64}\n-----END ${label}-----\n`;
const pair = (key: string, cert: string): UnusualCertificate => ({
  key: pem('PRIVATE KEY', key),
  cert: pem('CERTIFICATE', cert),
});

/** Certificates by their kinds of key, which Node.js does not generate. */
export const unusualCertificates = {
  secp256k1: pair(
    'MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQg2KaHhjjjXbup+D+YOKwjCi6UnMANkogkw8G3Tujr74ChRANCAAQt6JuicLBYNEnBV9CNnZu8OdqObq0Ra8sTNqzjZehmWzBl5NkW4jaFgHyjVZV0bSr9E+GMjMmuYjO8zI7bQuBf',
    'MIIBfTCCASKgAwIBAgIUQ/3HymdLGgIG5qTp+5ReTMjIB+owCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNzE2MjE0MloYDzIxMjYxMTAzMTYyMTQyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwVjAQBgcqhkjOPQIBBgUrgQQACgNCAAQt6JuicLBYNEnBV9CNnZu8OdqObq0Ra8sTNqzjZehmWzBl5NkW4jaFgHyjVZV0bSr9E+GMjMmuYjO8zI7bQuBfo1MwUTAdBgNVHQ4EFgQU1pTzPDkBWdGidJYMGM5rzXdc7oowHwYDVR0jBBgwFoAU1pTzPDkBWdGidJYMGM5rzXdc7oowDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAxv+WqkJBNH00avypHoDVB+JWCcNWWaltdkUvLTQJ4NYCIQCimmhuJf7PeyqDvc4DTPoFMxJV88d65BdoYOa8Fm1I8Q==',
  ),
  brainpoolP256r1: pair(
    'MIGIAgEAMBQGByqGSM49AgEGCSskAwMCCAEBBwRtMGsCAQEEICtqTbM5ZFxRC14lx+CummZ0c+JdF5/xz9iCRYjtSbZvoUQDQgAEEQquPFtlXFVVOe3SzxHWYxiRxrYm+qQaIoHlBXDk67hLygxCWPAMC2WrI1nnjsB5BC3P5tJvkyR8Aqrzs4bthg==',
    'MIIBgDCCASagAwIBAgIUESvtkCYVj/te16drJWgqVgX8g6EwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNzE2MjE0MloYDzIxMjYxMTAzMTYyMTQyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWjAUBgcqhkjOPQIBBgkrJAMDAggBAQcDQgAEEQquPFtlXFVVOe3SzxHWYxiRxrYm+qQaIoHlBXDk67hLygxCWPAMC2WrI1nnjsB5BC3P5tJvkyR8Aqrzs4bthqNTMFEwHQYDVR0OBBYEFNQh94Y9ZS/k3t4dKpYE4Sjjqu9KMB8GA1UdIwQYMBaAFNQh94Y9ZS/k3t4dKpYE4Sjjqu9KMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgcWSsnFc4aT7kmf9FOIWf5eoJyatOstm/20AbUdSDjfYCIQCCa2BtGiApN6I/HWLuBENhhz+xoCLvBAFOZHJF2Iintw==',
  ),
  Ed25519: pair(
    'MC4CAQAwBQYDK2VwBCIEIO+xzka441xRFnp/osRQOzBuMAhzouSc5SwKlWsJN1MK',
    'MIIBPjCB8aADAgECAhQqKzsDBFsptwLHIkT9nXJBy4OiODAFBgMrZXAwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNzE2MjE0MloYDzIxMjYxMTAzMTYyMTQyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwKjAFBgMrZXADIQBiJVbiatGJS5hlT6oQphEnwMkfI3Gomsr3G+yR3FmVE6NTMFEwHQYDVR0OBBYEFOYyf6oj2vdOmT/bs2olAxOr9Vs6MB8GA1UdIwQYMBaAFOYyf6oj2vdOmT/bs2olAxOr9Vs6MA8GA1UdEwEB/wQFMAMBAf8wBQYDK2VwA0EAfB3RcoLIbwHbHLC7AULfAGi6fRoCyBNg2V6yt8RsZ+lIKVTchMyfC61QnOGJc/bwWAdSd8ybaznoKBXChfTDDA==',
  ),
} as const;
