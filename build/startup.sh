#!/usr/bin/env bash
# startup.sh PROGRAM...: prints the startup time of each program (with --version), in milliseconds; the fastest of 20 runs.
set -euo pipefail
for program in "$@"; do
  least=999999
  for _ in $(seq 20); do
    begin=$(date +%s%N)
    "$program" --version > /dev/null
    took=$((($(date +%s%N) - begin) / 1000000))
    [ "$took" -ge "$least" ] || least=$took
  done
  printf '    %s starts in %s ms (%s)\n' "${program##*/artifacts/}" "$least" "$(stat -c %s "$program" | numfmt --to=si)B"
done
