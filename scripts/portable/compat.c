// What the program of a release has besides what it is compiled from: the few symbols that archives compiled for Debian 12 ask
// for and glibc 2.31 lacks, and where the authorities of TLS lie on machines that are not Debian.
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

// Of glibc 2.32: libstdc++ may count references without atomic instructions while it is true. It never is.
char __libc_single_threaded = 0;

// Of glibc 2.36, for std::random_device. It must not return without a number.
uint32_t arc4random(void) {
  uint32_t number;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
  }
  return number;
}

// OpenSSL was compiled for Debian, which keeps certificates below /usr/lib/ssl. What is in the environment wins.
__attribute__((constructor)) static void FindAuthorities(void) {
  static const char* const kFiles[] = {
      "/etc/ssl/certs/ca-certificates.crt",                 // Debian without openssl, Alpine, Arch
      "/etc/pki/tls/certs/ca-bundle.crt",                   // RHEL, Fedora, Amazon Linux
      "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // the same, newer
      "/etc/ssl/ca-bundle.pem",                             // SUSE
      "/etc/ssl/cert.pem",                                  // Alpine
  };
  if (getenv("SSL_CERT_FILE") || getenv("SSL_CERT_DIR")) return;
  if (access("/usr/lib/ssl/certs/ca-certificates.crt", R_OK) == 0) return;
  for (size_t i = 0; i < sizeof kFiles / sizeof *kFiles; ++i) {
    if (access(kFiles[i], R_OK) != 0) continue;
    setenv("SSL_CERT_FILE", kFiles[i], 1);
    return;
  }
}
