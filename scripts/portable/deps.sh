# What the program of a release is linked with (scripts/package release), for amd64 and arm64: Debian 12's archives, Debian 11's
# libc to link against, and archives that Debian has as shared libraries alone. Sourced by scripts/deps, which has the rest.
#
# .deps/portable/ARCH/debian     packages of Debian 12, unpacked: archives and headers
# .deps/portable/ARCH/libc       glibc 2.31 and its start files: the program asks for nothing newer
# .deps/portable/ARCH/lib        libpq, GnuTLS, libcurl, librdkafka, compat.c, built here
# .deps/portable/ARCH/image      packages that the container image has below the program
# .deps/portable/ARCH/parts.tsv  `linked<TAB>PACKAGE<TAB>VERSION`, for scripts/sbom; licences/ beside it

PORTABLE_BUILD=1  # how they are built; a higher number builds them anew
PORTABLE_ARCHIVES=(libssl-dev libabsl-dev libpcre2-dev libyaml-dev libhiredis-dev librabbitmq-dev libnats-dev zlib1g-dev libzstd-dev nettle-dev libgmp-dev libtasn1-6-dev
  libmicrohttpd-dev libgnutls28-dev libcurl4-openssl-dev libpq-dev libkrb5-dev krb5-multidev
  libcli11-dev rapidjson-dev libstdc++-12-dev gcc-12-base)
# What the image has below the program.
PORTABLE_IMAGE=(base-files ca-certificates libc6 libgcc-s1 netbase tzdata gcc-12-base)
PORTABLE_SOURCES=(gnutls28 curl postgresql-15)
# Of the archives, and of headers alone, what is in the program.
PORTABLE_LINKED=(libssl-dev libabsl-dev libpcre2-dev libyaml-dev libhiredis-dev librabbitmq-dev zlib1g-dev libzstd-dev nettle-dev libgmp-dev libtasn1-6-dev
  libmicrohttpd-dev libcli11-dev rapidjson-dev libstdc++-12-dev)
PORTABLE_PACKAGES=(g++-aarch64-linux-gnu qemu-user-static dpkg-dev autoconf automake libtool autopoint bison flex perl gperf)

portable_triplet() { case $1 in amd64) echo x86_64-linux-gnu ;; arm64) echo aarch64-linux-gnu ;; esac; }

# portable_apt SUITE ARCH COMMAND...: apt-get with the machine's mirrors, lists of its own, and another suite or architecture. The
# machine's own packages are left alone. SUITE: bookworm, with its security updates; main of another, or bookworm/main, without.
portable_apt() {
  local suite=$1 arch=$2 folder="$DEPS/build/portable/apt-${1//\//-}-$2" file
  shift 2
  if [ ! -d "$folder" ]; then
    mkdir -p "$folder"/{sources,lists/partial,cache/archives/partial}
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
      [ ! -f "$file" ] || sed -E "s/bookworm/${suite%/main}/g; s/^Types: .*/Types: deb deb-src/; s/^deb(-src)? (.*)/deb \2\ndeb-src \2/" "$file" |
        if [ "$suite" = bookworm ]; then cat; else without_updates; fi >"$folder/sources/${file##*/}"
    done
    portable_apt "$suite" "$arch" update || { rm -rf "$folder" && return 1; }
  fi
  logged "portable-apt" apt-get -q -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$folder/sources" \
    -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder/cache" -o "APT::Architecture=$arch" -o "APT::Architectures=$arch" \
    -o Dir::State::status=/dev/null -o APT::Sandbox::User=root "$@"
}

without_updates() {
  awk -v RS= -v ORS='\n\n' '!/(^|\n)Types:/ || !/-security/' | sed -E '/^deb.*-(security|updates)/d; s/^(Suites: [^ ]*).*/\1/'
}

# portable_unpack SUITE ARCH FOLDER PACKAGE...: into FOLDER, what they say of themselves into FOLDER.control.
portable_unpack() {
  local suite=$1 arch=$2 folder=$3 scratch="$DEPS/build/portable/packages-${1//\//-}-$2" package
  shift 3
  rm -rf "$scratch" && mkdir -p "$scratch" "$folder"
  (cd "$scratch" && portable_apt "$suite" "$arch" download "$@") ||
    die "apt-get could not download $* of $suite for $arch (log: .deps/log/portable-apt.log)"
  mkdir -p "$folder.control"
  for package in "$scratch"/*.deb; do
    dpkg-deb -x "$package" "$folder" && dpkg-deb -f "$package" >"$folder.control/$(dpkg-deb -f "$package" Package)" ||
      die "$package could not be unpacked"
  done
  # Links lead to the folder, not to the machine.
  find "$folder" -type l -lname '/*' -print0 | while IFS= read -r -d '' package; do
    ln -srfn "$folder$(readlink "$package")" "$package"
  done
  rm -rf "$scratch"
}

# Mirrors of security updates often lack sources: then the last point release's.
portable_source() {
  local folder="$DEPS/build/portable/source/$1"
  [ ! -d "$folder" ] || return 0
  rm -rf "$folder.part" && mkdir -p "$folder.part"
  (cd "$folder.part" && { portable_apt bookworm amd64 source "$1" || portable_apt bookworm/main amd64 source "$1"; }) ||
    die "apt-get could not download the source of $1 (log: .deps/log/portable-apt.log)"
  mv "$folder.part"/*/ "$folder"
  rm -rf "$folder.part"
}

# portable_configure ARCH SOURCE NAME OPTION...: configures below build/portable/ARCH; the caller makes.
portable_configure() {
  local arch=$1 source=$2 folder="$DEPS/build/portable/$1/$2" triplet
  shift 2
  triplet=$(portable_triplet "$arch")
  rm -rf "$folder" && mkdir -p "$folder"
  cd "$folder"
  portable_env "$arch"
  logged "portable-$arch-configure" "$DEPS/build/portable/source/$source/configure" "--host=$triplet" --build=x86_64-linux-gnu "$@"
}

# Hardened as walduct itself is: they read what strangers send.
portable_flags() {
  local flags="-O2 -g0 -fPIE -ffunction-sections -fdata-sections -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"
  case $1 in amd64) echo "$flags -fcf-protection" ;; arm64) echo "$flags -mbranch-protection=standard" ;; esac
}

portable_env() {
  local triplet debian="$DEPS/portable/$1/debian"
  triplet=$(portable_triplet "$1")
  export CC="$triplet-gcc-12" AR="$triplet-ar" RANLIB="$triplet-ranlib" STRIP="$triplet-strip"
  ! have ccache || CC="ccache $CC"
  export CFLAGS CPPFLAGS="-I$debian/usr/include -I$debian/usr/include/$triplet" LDFLAGS="-L$debian/usr/lib/$triplet"
  CFLAGS=$(portable_flags "$1")
  export PKG_CONFIG_LIBDIR="$debian/usr/lib/$triplet/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$debian"
}

# TLS of what listens alone: no PKCS #11, no names in other alphabets, no tools. Debian's patches add files to what automake made.
portable_gnutls() (
  if [ ! -f "$DEPS/build/portable/source/gnutls28/.prepared" ]; then
    cd "$DEPS/build/portable/source/gnutls28"
    AUTOPOINT=true GTKDOCIZE=true logged portable-autoreconf autoreconf -fi -I m4 || return 1
    touch .prepared
  fi
  portable_configure "$1" gnutls28 --enable-static --disable-shared --disable-doc --disable-tools --disable-cxx --disable-tests \
    --disable-nls --disable-guile --without-p11-kit --without-idn --with-included-unistring --without-tpm --without-tpm2 \
    --without-zlib --without-brotli --without-zstd --disable-libdane --disable-openssl-compatibility \
    --with-default-priority-string=NORMAL --with-system-priority-file=/etc/gnutls/config \
    --with-default-trust-store-file=/etc/ssl/certs/ca-certificates.crt &&
    logged "portable-$1-make" make -j"$(nproc)" -C gl && logged "portable-$1-make" make -j"$(nproc)" -C lib &&
    install -m 644 lib/.libs/libgnutls.a gl/.libs/libgnu.a "$DEPS/portable/$1/lib/"
)

# HTTP and HTTPS alone. The authorities of whoever runs it are found at the start (compat.c).
portable_curl() (
  portable_configure "$1" curl --enable-static --disable-shared --with-openssl --with-zlib --without-zstd --without-brotli \
    --without-libidn2 --without-libpsl --without-nghttp2 --without-librtmp --without-libssh2 --without-libssh --without-gssapi \
    --disable-ldap --disable-ldaps --disable-ftp --disable-file --disable-rtsp --disable-dict --disable-telnet --disable-tftp \
    --disable-pop3 --disable-imap --disable-smb --disable-smtp --disable-gopher --disable-mqtt --disable-manual --disable-ntlm \
    --without-ca-bundle --without-ca-path --with-ca-fallback --enable-threaded-resolver &&
    logged "portable-$1-make" make -j"$(nproc)" -C lib libcurl.la &&
    install -m 644 lib/.libs/libcurl.a "$DEPS/portable/$1/lib/"
)

portable_libpq() (
  portable_object "$1" gssapi || return 1
  export LIBS="$DEPS/portable/$1/lib/gssapi.o -ldl -lpthread"
  portable_configure "$1" postgresql-15 --without-readline --with-openssl --with-gssapi --without-icu --disable-rpath \
    --with-system-tzdata=/usr/share/zoneinfo --sysconfdir=/etc/postgresql-common &&
    logged "portable-$1-make" make -j"$(nproc)" -C src/backend generated-headers &&
    logged "portable-$1-make" make -j"$(nproc)" -C src/common libpgcommon_shlib.a &&
    logged "portable-$1-make" make -j"$(nproc)" -C src/port libpgport_shlib.a &&
    logged "portable-$1-make" make -j"$(nproc)" -C src/interfaces/libpq libpq.a &&
    install -m 644 src/interfaces/libpq/libpq.a src/common/libpgcommon_shlib.a src/port/libpgport_shlib.a "$DEPS/portable/$1/lib/"
)

portable_librdkafka() (
  local source="$DEPS/build/portable/$1/librdkafka" triplet
  triplet=$(portable_triplet "$1")
  librdkafka_source "$source"
  cd "$source/deps/librdkafka"
  portable_env "$1"
  # Its configure has a compiler of its own idea when it is told of a host.
  export CFLAGS="" CC="${CC#ccache }" CPPFLAGS="$CPPFLAGS" LDFLAGS="$LDFLAGS"
  librdkafka_make "$DEPS/portable/$1" "$(portable_flags "$1")" --build=x86_64-linux-gnu --host="$triplet" --cc="$CC" &&
    install -m 644 src/librdkafka.a LICENSES.txt "$DEPS/portable/$1/lib/"
)

portable_object() (
  portable_env "$1"
  # shellcheck disable=SC2086  # flags are words
  logged "portable-$1-make" "$(portable_triplet "$1")-gcc-12" $CFLAGS $CPPFLAGS -Wall -Wextra -Werror -c "$ROOT/scripts/portable/$2.c" \
    -o "$DEPS/portable/$1/lib/$2.o"
)

# What is linked, and its licences: of Debian's packages, and of the sources that are built here.
portable_parts() {
  local arch=$1 out="$DEPS/portable/$1" part version
  rm -rf "$out/licences" && mkdir -p "$out/licences"
  : >"$out/parts.tsv"
  for part in "${PORTABLE_LINKED[@]}"; do
    version=$(sed -n 's/^Version: //p' "$out/debian.control/$part") || return 1
    printf 'linked\t%s\t%s\n' "$part" "$version" >>"$out/parts.tsv"
    cp -L "$out/debian/usr/share/doc/$part/copyright" "$out/licences/$part" || return 1
  done
  for part in "${PORTABLE_SOURCES[@]}"; do
    version=$(cd "$DEPS/build/portable/source/$part" && dpkg-parsechangelog -S Version) || return 1
    printf 'linked\t%s\t%s\n' "$part" "$version" >>"$out/parts.tsv"
    cp "$DEPS/build/portable/source/$part/debian/copyright" "$out/licences/$part" || return 1
  done
  printf 'linked\tlibrdkafka\t%s\n' "$LIBRDKAFKA_VERSION" >>"$out/parts.tsv"
}

portable_one() {
  local arch=$1 out="$DEPS/portable/$1" stamp part
  stamp="$PORTABLE_BUILD $LIBRDKAFKA_VERSION-$LIBRDKAFKA_BUILD $(cat "$ROOT"/scripts/portable/* | sha256sum | cut -c 1-16)"
  done_before "portable-$arch" "$stamp" && return 0
  need_space "$DEPS" 2500
  say "building what walduct for $arch is linked with (about five minutes on two cores)"
  rm -rf "$out" && mkdir -p "$out/lib"
  portable_unpack bookworm "$arch" "$out/debian" "${PORTABLE_ARCHIVES[@]}"
  portable_unpack bookworm "$arch" "$out/image" "${PORTABLE_IMAGE[@]}"
  portable_unpack bullseye "$arch" "$out/libc" libc6 libc6-dev libgcc-s1
  for part in "${PORTABLE_SOURCES[@]}"; do portable_source "$part"; done
  portable_object "$arch" compat || die "compat.c did not compile (log: .deps/log/portable-$arch-make.log)"
  for part in librdkafka libpq curl gnutls; do
    "portable_$part" "$arch" || die "$part did not build for $arch (logs: .deps/log/portable-$arch-*.log)"
  done
  portable_parts "$arch" || die "the parts of walduct for $arch have no licence or version"
  rm -rf "$DEPS/build/portable/$arch"
  mark_done "portable-$arch" "$stamp"
}

portable() {
  local arch
  packages "${PORTABLE_PACKAGES[@]}"
  for arch in "$@"; do portable_one "$arch"; done
}
