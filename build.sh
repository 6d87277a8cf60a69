#!/usr/bin/env bash
# The one entrance to the repository; `./build.sh help` lists the commands.
# Written for bash 3.2 and later, so that it also runs on macOS and in Git for Windows.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly CONFIGURATION="${CONFIGURATION:-Release}"
readonly ARTIFACTS="$PWD/artifacts"
readonly PACKAGE_RIDS="linux-x64 linux-arm64 win-x64"
# A single test that says nothing for this long is taken for hung and ends its project's run.
readonly HANG_TIMEOUT=5min
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1

usage() {
  cat <<'TEXT'
usage: ./build.sh [command] [arguments]

  (none)            build everything, native shim included
  demo [name]       run a demo from samples/ (default: tokenizer)
  test [arguments]  run all tests; arguments go to `dotnet test`, e.g. --filter Golden
  pack              build the packages into artifacts/packages and verify them
  bench [arguments] run BenchmarkDotNet benchmarks; arguments go to it, e.g. --filter '*CpuRead*'
  bench compare [name]
                    the quick side-by-side comparison: histogram (default), cpu, perf, encode,
                    scheduling, aspnet, jitter
  format [--check]  apply the code style, or verify it
  help              this text

CONFIGURATION=Debug builds and tests the debug configuration.
TEXT
}

say() { printf '==> %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

# ---- What the commands stand on -------------------------------------------------------------------------------

require_sdk() {
  has dotnet || die "the .NET 10 SDK is needed and no 'dotnet' is on the PATH: https://dotnet.microsoft.com/download"
  # global.json names the SDK; this command fails where no installed one fits.
  dotnet --version >/dev/null 2>&1 ||
    die "the .NET 10 SDK is needed; installed: $(dotnet --list-sdks | cut -d' ' -f1 | paste -sd' ' -). https://dotnet.microsoft.com/download"
}

host_rid() {
  local arch
  case $(uname -m) in aarch64 | arm64) arch=arm64 ;; *) arch=x64 ;; esac
  case $(uname -s) in
    Linux) echo "linux-$arch" ;;
    Darwin) echo "osx-$arch" ;;
    *) echo "win-$arch" ;;
  esac
}

compiles_with() { has "$1" && printf '#include <stdio.h>\n' | "$1" -E - >/dev/null 2>&1; }

# A need is known by name: how to see that it is met, and the Debian packages that meet it. A cross-compiler for
# this very machine is its own compiler.
is_met() {
  case $1 in
    c-win-x64) compiles_with x86_64-w64-mingw32-gcc ;;
    "c-$(host_rid)") compiles_with gcc || compiles_with cc ;;
    c-linux-x64) compiles_with x86_64-linux-gnu-gcc ;;
    c-linux-arm64) compiles_with aarch64-linux-gnu-gcc ;;
    "run-$(host_rid)") true ;;
    run-linux-arm64) has qemu-aarch64 ;;
    run-win-x64) has wine ;;
    run-musl) has musl-gcc ;;
    run-kernels) has qemu-system-aarch64 && has qemu-system-x86_64 ;;
    chromium) has chromium || has chromium-browser || has google-chrome ;;
    prometheus) has prometheus && has promtool ;;
    java) has javac && has java && [ -f /usr/share/java/hdrhistogram.jar ] ;;
    run-wrk) has wrk ;;
    jitter-meters) has jitterdebugger && has cyclictest && has stress-ng ;;
    terminal) has tmux ;;
    # Linux's own tools; elsewhere there is nothing to compare with, and nothing lacks.
    system-tools) [ "$(uname -s)" != Linux ] || { has top && has mpstat && has pidstat && has taskset; } ;;
  esac
}

packages_for() {
  case $1 in
    c-win-x64) echo gcc-mingw-w64-x86-64 ;;
    "c-$(host_rid)") echo gcc libc6-dev ;;
    c-linux-x64) echo gcc-x86-64-linux-gnu libc6-dev-amd64-cross ;;
    c-linux-arm64) echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross ;;
    run-linux-arm64) echo qemu-user ;;
    run-win-x64) echo wine wine64 ;;
    run-musl) echo musl musl-tools ;;
    run-kernels) echo qemu-system-arm qemu-system-x86 qemu-system-data seabios ipxe-qemu ;;
    chromium) echo chromium ;;
    java) echo default-jdk-headless libhdrhistogram-java ;;
    prometheus) echo prometheus ;;
    run-wrk) echo wrk ;;
    jitter-meters) echo jitterdebugger rt-tests stress-ng ;;
    terminal) echo tmux ;;
    system-tools) echo procps sysstat util-linux ;;
  esac
}

# The programs are wanted, not the services that some come with: a policy keeps those from starting.
apt_install() {
  local policy=/usr/sbin/policy-rc.d own='' code=0
  if [ ! -e "$policy" ]; then
    own=$policy
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
  fi
  DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@" || code=$?
  [ -z "$own" ] || rm -f "$own"
  case " $* " in *' prometheus '*) ! has systemctl || systemctl -q disable prometheus.service 2>/dev/null || true ;; esac
  return "$code"
}

# Installs what the needs named lack, where that is possible; afterwards `missing` holds the packages still lacking.
meet() {
  local need packages=''
  for need in "$@"; do is_met "$need" || packages="$packages $(packages_for "$need")"; done
  missing=''
  [ -n "$packages" ] || return 0
  if [ "$(id -u)" = 0 ] && has apt-get; then
    say "installing$packages"
    # The package lists are fetched only where the ones at hand do not do. Intended word splitting.
    # shellcheck disable=SC2086
    apt_install $packages >/dev/null 2>&1 ||
      { apt-get -qq -o DPkg::Lock::Timeout=300 update && apt_install $packages >/dev/null; } || true
  fi
  for need in "$@"; do is_met "$need" || missing="$missing $(packages_for "$need")"; done
}

require() {
  meet "$@"
  [ -z "$missing" ] || die "install first (Debian's names):$missing"
}

want() {
  meet "$1"
  [ -z "$missing" ] || say "skipped: $2, for want of$missing (Debian's names)"
}

# ---- Commands -------------------------------------------------------------------------------------------------

has_shim() { [ -n "$(ls "native/out/$1/"*picollo_native.* 2>/dev/null)" ]; }

# Builds the shim for each platform named. A library that another machine built (the workflows hand them over)
# does where this one has no compiler.
build_native() {
  local rid needs=''
  for rid in "$@"; do has_shim "$rid" || needs="$needs c-$rid"; done
  # shellcheck disable=SC2086
  require $needs
  for rid in "$@"; do
    if is_met "c-$rid"; then native/build.sh "$rid"; else say "native shim for $rid: as it is"; fi
  done
}

# A line of C# below src/ has at most 140 columns. In a UTF-8 locale grep counts characters, not bytes.
check_lines() {
  local locale long
  locale=$(locale -a 2>/dev/null | grep -iE -m 1 '^(C|en_US)\.utf-?8$' || true)
  long=$(LC_ALL=${locale:-C.UTF-8} grep -rnE --include='*.cs' --exclude-dir=obj --exclude-dir=bin '^.{141}' src | cut -d: -f1,2 || true)
  [ -z "$long" ] || die "lines of more than 140 columns:
$long"
}

build() {
  check_lines
  build_native "$(host_rid)"
  dotnet build Picollo.sln -c "$CONFIGURATION" -v quiet
}

# A sample's name on the command line: its folder's, in lower case, without "Demo" or "Api".
demo_name() { basename "$1" | tr '[:upper:]' '[:lower:]' | sed 's/demo$//; s/api$//'; }

demo() {
  local wanted folder names=''
  wanted=$(demo_name "${1:-tokenizer}")
  for folder in samples/*/; do
    [ -n "$(ls "$folder"*.csproj 2>/dev/null)" ] || continue
    names="$names $(demo_name "$folder")"
    [ "$(demo_name "$folder")" = "$wanted" ] || continue
    build_native "$(host_rid)"
    # This one drives a server; as the server itself it needs no driver.
    if [ "$wanted" = cpuworker ] && [ "${2:-}" != --serve ]; then require run-wrk; fi
    # And this one is a server that does not end, unless it is asked for a demonstration.
    if [ "$wanted" = web ] && [ $# -lt 2 ]; then set -- web --demo; fi
    dotnet run -c Release --project "$folder" -- "${@:2}"
    return
  done
  die "no demo '$wanted'; there are:${names:- none yet}"
}

# Adds one test run's counters to passed, failed and skipped. A run that ended badly without saying which test
# failed (it crashed, or wrote no results) counts as one failure.
count() {
  local trx=$1 exit_code=$2 counters total executed ok bad
  counters=$(grep -o '<Counters [^>]*>' "$trx" 2>/dev/null | tail -n 1 || true)
  number() { printf '%s' "$counters" | sed -n "s/.* $1=\"\([0-9]*\)\".*/\1/p"; }
  total=$(number total) executed=$(number executed) ok=$(number passed)
  total=${total:-0} executed=${executed:-0} ok=${ok:-0}
  bad=$((executed - ok))
  if [ "$exit_code" != 0 ] && [ "$bad" = 0 ]; then bad=1; fi
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + total - executed))
  skip_reasons "$trx"
  printf '    %s: %d passed, %d failed, %d skipped\n' "$(basename "$trx" .trx)" "$ok" "$bad" $((total - executed))
}

skip_reasons() {
  [ -f "$1" ] || return 0
  awk '
    /<UnitTestResult / { test = $0; sub(/.* testName="/, "", test); sub(/".*/, "", test)
                         skipped = /outcome="NotExecuted"/ }
    skipped && /<Message>/ { reason = $0; sub(/.*<Message>/, "", reason); sub(/<.*/, "", reason)
                             printf "    skipped %s: %s\n", test, reason }' "$1"
}

run_native_tests() {
  local code=0 output="$ARTIFACTS/test-results/native.txt" prefix ok bad left_out
  say "native tests"
  mkdir -p "$ARTIFACTS/test-results"
  # A prefix of its own keeps Wine out of the home folder; and it is not in this one, because it has a link to the root
  # directory in it, which BenchmarkDotNet would follow when it looks for projects here.
  prefix=$(mktemp -d)
  WINEPREFIX="$prefix" native/test.sh 2>&1 | tee "$output" || code=$?
  rm -rf "$prefix"
  ok=$(awk '/ checks passed, / { sum += $1 } END { print sum + 0 }' "$output")
  bad=$(awk '/ checks passed, / { sum += $4 } END { print sum + 0 }' "$output")
  left_out=$(grep -c '^ *not run:' "$output" || true)
  if [ "$code" != 0 ] && [ "$bad" = 0 ]; then bad=1; fi
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + left_out))
}

run_test_project() {
  local project=$1 name code=0
  name=$(basename "$project" .csproj)
  say "$name"
  rm -f "$ARTIFACTS/test-results/$name.trx"
  dotnet test "$project" -c "$CONFIGURATION" --no-build --logger "trx;LogFileName=$name.trx" \
    --results-directory "$ARTIFACTS/test-results" \
    --blame-hang-timeout "$HANG_TIMEOUT" --blame-hang-dump-type none "${@:2}" || code=$?
  # No results at all, where no filter was given, is no success either.
  if [ $# = 1 ] && [ ! -f "$ARTIFACTS/test-results/$name.trx" ]; then code=1; fi
  count "$ARTIFACTS/test-results/$name.trx" "$code"
}

run_tests() {
  local project rid
  passed=0 failed=0 skipped=0
  want c-linux-arm64 "the arm64 shim and its tests"
  want run-linux-arm64 "the arm64 shim's tests"
  want c-win-x64 "the Windows shim and its tests"
  want run-win-x64 "the tests under Wine"
  if [ "$(host_rid)" = linux-x64 ]; then
    want run-musl "the shim's tests under musl"
    want run-kernels "the tests on emulated kernels"
    if is_met run-kernels && ! tests/Picollo.Kernel.Tests/kernels.sh; then
      say "skipped: the tests on emulated kernels, for want of kernels"
    fi
  fi
  want system-tools "the comparison with top, mpstat and pidstat"
  want terminal "the live views in a terminal"
  want chromium "the plots and reports in a browser"
  want java "the tests against the HdrHistogram family's Java library"
  want prometheus "the tests with Prometheus"
  build
  for rid in $PACKAGE_RIDS; do
    if [ "$rid" != "$(host_rid)" ] && is_met "c-$rid"; then build_native "$rid"; fi
  done
  run_native_tests
  for project in tests/*.Tests/*.Tests.csproj; do run_test_project "$project" "$@"; done
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  [ "$failed" = 0 ]
}

# The tool as one file that needs no .NET, and what it and the packed dotnet tool take to start.
publish_tool() {
  local folder="$ARTIFACTS/picollo-linux-x64" installed="$ARTIFACTS/picollo-tool"
  rm -rf "$folder" "$installed"
  dotnet publish src/Picollo.Cli -c Release -v quiet -r linux-x64 --self-contained --artifacts-path "$ARTIFACTS/publish" \
    -p:PublishTrimmed=true -p:PublishSingleFile=true -p:PublishReadyToRun=true -p:DebugType=none -p:ContinuousIntegrationBuild=true -o "$folder"
  mv "$folder/Picollo.Cli" "$folder/picollo"
  find "$folder" -type f ! -name picollo -delete
  dotnet tool install Picollo.Cli --tool-path "$installed" --add-source "$ARTIFACTS/packages" --prerelease > /dev/null
  say "start-up, the fastest of 20: one file $(startup_of "$folder/picollo") ms ($(stat -c %s "$folder/picollo" | numfmt --to=si)B), dotnet tool $(startup_of "$installed/picollo") ms"
}

startup_of() {
  local least=999999 begin took
  for _ in $(seq 20); do
    begin=$(date +%s%N)
    "$1" --version > /dev/null
    took=$((($(date +%s%N) - begin) / 1000000))
    [ "$took" -ge "$least" ] || least=$took
  done
  echo "$least"
}

pack() {
  # shellcheck disable=SC2086
  build_native $PACKAGE_RIDS
  rm -rf "$ARTIFACTS/packages"
  # In a place of its own, so that no assembly of an ordinary build, with this machine's paths in it, is packed.
  for project in src/*/*.csproj; do
    dotnet pack "$project" -c Release -v quiet --artifacts-path "$ARTIFACTS/pack" -p:ContinuousIntegrationBuild=true
  done
  publish_tool
  PICOLLO_PACKAGES="$ARTIFACTS/packages" \
    dotnet test tests/Picollo.Package.Tests -c Release -v quiet --filter "FullyQualifiedName~Contents"
  say "verified:"
  ls -l "$ARTIFACTS/packages"
}

bench() {
  build_native "$(host_rid)"
  [ $# -gt 0 ] || set -- --filter '*'
  if [ "${1:-} ${2:-}" = 'compare encode' ]; then want java "the comparison with the HdrHistogram family's Java library"; fi
  if [ "${1:-} ${2:-}" = 'compare aspnet' ]; then require run-wrk; fi
  if [ "${1:-} ${2:-}" = 'compare jitter' ]; then require jitter-meters; fi
  dotnet run -c Release --project benchmarks/Picollo.Benchmarks -- "$@"
}

format() {
  case ${1:-} in
    '') dotnet format Picollo.sln ;;
    --check)
      check_lines
      dotnet format Picollo.sln --verify-no-changes
      ;;
    *) usage >&2; exit 2 ;;
  esac
}

main() {
  local command=${1:-build}
  [ $# = 0 ] || shift
  case $command in
    build | demo | pack | bench | format) require_sdk; "$command" "$@" ;;
    test) require_sdk; run_tests "$@" ;;
    help | -h | --help) usage ;;
    *) usage >&2; exit 2 ;;
  esac
}

main "$@"
