# Shared by the scripts in this folder: where things live, how to say something, how to fail. Sourced, never run.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
DEPS="$ROOT/.deps"         # everything downloaded; safe to delete
RUN="$ROOT/.run"           # private servers, their data and logs; safe to delete when they are stopped
CACHE="$DEPS/cache"

export npm_config_cache="$CACHE/npm" npm_config_update_notifier=false npm_config_fund=false npm_config_audit=false
export PIP_CACHE_DIR="$CACHE/pip" PIP_DISABLE_PIP_VERSION_CHECK=1
export CCACHE_DIR="${CCACHE_DIR:-$CACHE/ccache}"

say() { printf '%s: %s\n' "$(basename "$0")" "$*"; }

die() {
  printf '%s: error: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

need() { have "$1" || die "'$1' is missing; run scripts/deps${2:+ $2}"; }

# Runs a command as root: directly, or through sudo.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif have sudo; then
    sudo "$@"
  else
    die "needs root: run this script as root or install sudo"
  fi
}

# need_space DIR MEGABYTES: fails unless the file system of DIR has that much room.
need_space() {
  local free_mb
  free_mb=$(($(df -Pk "$1" | awk 'NR == 2 {print $4}') / 1024))
  [ "$free_mb" -ge "$2" ] || die "no disk space: $1 has $free_mb MB free, needs $2 MB"
}

# logged NAME COMMAND...: runs a command with its output in .deps/log/NAME.log. Its caller says in one line what failed;
# the log's end is shown only where nobody can look into the file later (CI is set).
logged() {
  local log="$DEPS/log/$1.log"
  shift
  mkdir -p "$DEPS/log"
  if ! "$@" >"$log" 2>&1; then
    if [ -n "${CI:-}" ]; then tail -n 30 "$log" >&2; fi
    return 1
  fi
}

# counted NAME WHAT COMMAND...: as logged, for a build by Ninja; says now and then how far WHAT is and about how long it still takes.
counted() {
  local name=$1 what=$2 code=0
  shift 2
  mkdir -p "$DEPS/log"
  "$@" 2>&1 | tee "$DEPS/log/$name.log" | how_far "$what" || code=$?
  if [ "$code" != 0 ] && [ -n "${CI:-}" ]; then tail -n 30 "$DEPS/log/$name.log" >&2; fi
  return "$code"
}

# The lines of Ninja begin with [DONE/ALL]. One line of ours in 20 s; a build of a few steps needs none.
how_far() {
  local what=$1 begin=$SECONDS told=$SECONDS line done all left
  while IFS= read -r line; do
    [[ $line =~ ^\[([1-9][0-9]*)/([0-9]+)\] ]] && [ $((SECONDS - told)) -ge 20 ] || continue
    done=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]} told=$SECONDS
    left=$(((SECONDS - begin) * (all - done) / done))
    say "$what: $done of $all, about $((left / 60)) min $((left % 60)) s left"
  done
}
