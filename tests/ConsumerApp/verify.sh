#!/bin/sh
# verify.sh <command...>: runs the consumer program on platforms on which the test projects do not run (Native AOT, musl), and checks
# that it found the native library, ran a pool of CPU workers and printed the tables of the getting-started sample.
set -eu
repository=$(cd "$(dirname "$0")/../.." && pwd)
output=$(mktemp)
trap 'rm -f "$output"' EXIT

"$@" >"$output"
cat "$output"
if grep '^cycle-clock-status=.*native library' "$output"; then
  echo "the native library was not found or has another version" >&2
  exit 1
fi
if ! grep -qx 'pool-ended=24 of 25, failed: 1' "$output"; then
  echo "the pool of CPU workers lost a task" >&2
  exit 1
fi
sed '1,/^tables=/d' "$output" | diff - "$repository/tests/Picollo.Samples.Tests/Golden/GettingStarted.txt"
