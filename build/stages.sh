# Runs the tests in stages, and counts their results and times. Sourced by build.sh.
# shellcheck shell=bash

passed=0 failed=0 skipped=0

# Removes the results of the previous run.
start_stages() {
  mkdir -p "$RESULTS"
  rm -rf "$RESULTS"/*.trx "$RESULTS"/*.txt "$RESULTS"/????????-????-????-????-????????????
  : >"$RESULTS/stages.txt"
}

# The CPU seconds of the whole machine, because build servers are not children of this shell; nothing if they are unknown.
machine_cpu() {
  [ ! -r /proc/stat ] || awk -v hertz="$(getconf CLK_TCK 2>/dev/null || echo 100)" '$1 == "cpu" { print ($2 + $3 + $4 + $7 + $8) / hertz }' /proc/stat
}

# stage <name> <command...>: runs a command of this shell as a stage.
stage() {
  local name=$1 start=$SECONDS before
  shift
  before=$(machine_cpu)
  "$@"
  add_stage "$name" $((SECONDS - start)) "$(machine_cpu | awk -v before="$before" '{ print $1 - before }')" ''
}

add_stage() { printf '%s\t%s\t%s\t%s\n' "$@" >>"$RESULTS/stages.txt"; }

print_stages() {
  awk -F '\t' -v total="$SECONDS" '
    function line(name, seconds, cpu, tests) {
      printf "%-42s %7s %11s %6s\n", name, seconds, cpu == "" ? "unknown" : sprintf("%.0f", cpu), tests
    }
    BEGIN { printf "%-42s %7s %11s %6s\n", "stage", "seconds", "CPU seconds", "tests" }
    { line($1, sprintf("%.0f", $2), $3, $4); sum += $3; tests += $4 }
    END { line("in total (two stages may run at a time)", total, sum, tests) }' "$RESULTS/stages.txt"
  if [ "$mode" = all ] && [ -z "$NAME" ] && [ "$SECONDS" -gt 540 ]; then
    printf '%swarning: the tests took more than nine minutes\n' "${CI:+::warning::}"
  fi
}

# run_stages <run> <number of concurrent stages> <filter> <language> <stages...>
# The language is the value of LANG without the encoding; empty for the language of the current user.
run_stages() {
  local stage name code seconds user system before
  export CONFIGURATION RESULTS HANG_TIMEOUT NAME RUN=$1 FILTER=$3 STAGE_LANG=$4 STAGES="$KERNELS $TOGETHER" MODES="${RUNTIME[*]}"
  export -f run_stage
  local at_once=$2
  shift 4
  say "tests: $RUN"
  printf '%s\n' "$@" | xargs -P "$at_once" -I{} bash -c 'run_stage {}' || true
  for stage in "$@"; do
    name=$RUN-${stage/\//.} code=1 seconds=0 user=0 system=0 before=$((passed + failed + skipped))
    read -r code seconds user system <"$RESULTS/$name.time" || true
    rm -f "$RESULTS/$name.time"
    # A stage without tests is a failure, unless they were selected by their name, or are Long, which few projects have.
    if [ -z "$NAME" ] && [ "$RUN" != long ] && ! grep -q '<UnitTestResult ' "$RESULTS/$name.trx"; then code=1; fi
    count_run "$RESULTS/$name.trx" "$code"
    add_stage "$RUN: $stage" "$seconds" "$(awk "BEGIN { print $user + $system }")" $((passed + failed + skipped - before))
  done
}

# Runs a stage, prints its output when it has ended, and writes its exit code and times. The stage of a project excludes the folders
# that are stages.
run_stage() {
  local stage=$1 project=${1%%/*} name=$RUN-${1/\//.} filter=$FILTER folder code=0 environment times
  case $stage in
    */*) filter="($filter)&FullyQualifiedName~.${stage#*/}." ;;
    *) for folder in $STAGES; do case $folder in "$stage"/*) filter="($filter)&FullyQualifiedName!~.${folder#*/}." ;; esac; done ;;
  esac
  [ -z "$NAME" ] || filter="($filter)&(FullyQualifiedName~$NAME)"
  # Word splitting is intended.
  # shellcheck disable=SC2206
  environment=(DOTNET_CLI_UI_LANGUAGE=en $MODES)
  # Background jobs of a shell, and commands of nohup, inherit ignored signals, but tests send these signals.
  if env --default-signal true 2>/dev/null; then environment=(--default-signal "${environment[@]}"); fi
  # .NET uses the first of LC_ALL, LC_MESSAGES and LANG that is set.
  [ -z "$STAGE_LANG" ] || environment=(-u LC_ALL -u LC_MESSAGES "${environment[@]}" "LANG=$STAGE_LANG.UTF-8")
  TIMEFORMAT='%R %U %S'
  times=$({
    time env "${environment[@]}" dotnet test "tests/$project/bin/$CONFIGURATION/net10.0/$project.dll" --filter "$filter" \
      --logger "trx;LogFileName=$name.trx" --results-directory "$RESULTS" --blame-hang-timeout "$HANG_TIMEOUT" --blame-hang-dump-type none \
      </dev/null >"$RESULTS/$name.txt" 2>&1
  } 2>&1) || code=$?
  printf '%s %s\n' "$code" "$times" >"$RESULTS/$name.time"
  # One write, so that the outputs of two stages are not mixed.
  printf '%s\n' "==> $RUN: $stage (${times%% *} s)
$(grep -vE '^$|^Test run for |^A total of |^(Data collector|Results File|No test matches)' "$RESULTS/$name.txt")"
}

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
