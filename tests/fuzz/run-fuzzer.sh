#!/bin/sh
# Runs a fuzzer for a number of seconds from a corpus, which it does not change.
# What it finds is left in the current folder.
#
#   [MAX_LEN=BYTES] [RSS_LIMIT=MB] [ENTROPIC=0] run-fuzzer.sh FUZZER SECONDS DICTIONARY [CORPUS…]
#
# The dictionary "-" is none. ENTROPIC=0 is for a fuzzer whose inputs reach new code each for a long
# time: weighing what each of them is worth takes most of the time there.
set -eu

fuzzer=$1 seconds=$2 dictionary=$3
shift 3
[ "$dictionary" = - ] && dictionary= || dictionary=-dict=$dictionary
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$fuzzer" -max_total_time="$seconds" -max_len="${MAX_LEN:-4096}" -timeout=20 -rss_limit_mb="${RSS_LIMIT:-4096}" \
  -entropic="${ENTROPIC:-1}" -print_final_stats=1 -artifact_prefix="$(basename "$fuzzer")-" \
  ${dictionary:+"$dictionary"} "$work" "$@" > "$work.log" 2>&1 || {
  tail -n 60 "$work.log"
  rm -f "$work.log"
  exit 1
}
grep -E 'stat::|Done' "$work.log" || true
rm -f "$work.log"
