/**
 * TLS 1.2 or later. In 1.2 only ECDHE key exchange with authenticated encryption (RFC 9325, 4.2), in 1.3 all ciphers that
 * OpenSSL enables by default. Without ECDHE, a stolen private key decrypts recorded traffic. CBC ciphers, which Node offers
 * by default, have a history of padding oracles, and RFC 9113 forbids them in HTTP/2.
 */
export const TLS_OPTIONS = {
  minVersion: "TLSv1.2",
  ciphers: [
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_AES_128_GCM_SHA256",
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
    "ECDHE-RSA-CHACHA20-POLY1305",
  ].join(":"),
} as const;
