# Counts passed, failed and skipped tests. Sourced by build.sh.
# shellcheck shell=bash

passed=0 failed=0 skipped=0

# Adds the counters of a run. A run that fails without a failed test (it crashed, or wrote no results) counts as one failure.
count_run() {
  local trx=$1 exit_code=$2 counters total executed ok bad
  counters=$(grep -o '<Counters [^>]*>' "$trx" 2>/dev/null | tail -n 1 || true)
  number() { printf '%s' "$counters" | sed -n "s/.* $1=\"\([0-9]*\)\".*/\1/p"; }
  total=$(number total) executed=$(number executed) ok=$(number passed)
  total=${total:-0} executed=${executed:-0} ok=${ok:-0}
  bad=$((executed - ok))
  if [ "$exit_code" != 0 ] && [ "$bad" = 0 ]; then bad=1; fi
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + total - executed))
  skip_reasons "$trx"
}

skip_reasons() {
  [ -f "$1" ] || return 0
  awk '
    /<UnitTestResult / { test = $0; sub(/.* testName="/, "", test); sub(/".*/, "", test)
                         skipped = /outcome="NotExecuted"/ }
    skipped && /<Message>/ { reason = $0; sub(/.*<Message>/, "", reason); sub(/<.*/, "", reason)
                             printf "    skipped %s: %s\n", test, reason }' "$1" |
    sed "s/&lt;/</g; s/&gt;/>/g; s/&quot;/\"/g; s/&apos;/'/g; s/&amp;/\&/g"
}

# Adds the results that native/test.sh printed.
count_native() {
  local output=$1 exit_code=$2 ok bad left_out
  ok=$(awk '/ checks passed, / { sum += $1 } END { print sum + 0 }' "$output")
  bad=$(awk '/ checks passed, / { sum += $4 } END { print sum + 0 }' "$output")
  left_out=$(grep -c '^ *not run:' "$output" || true)
  if [ "$exit_code" != 0 ] && [ "$bad" = 0 ]; then bad=1; fi
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + left_out))
}

# Adds the results of tests/Picollo.Fuzz.Tests.
count_fuzz() {
  local output=$1 exit_code=$2 bad
  passed=$((passed + $(grep -c '^ok ' "$output" || true)))
  bad=$(grep -c '^FAILED ' "$output" || true)
  if [ "$exit_code" != 0 ] && [ "$bad" = 0 ]; then bad=1; fi
  failed=$((failed + bad))
}
