#!/usr/bin/env bash
# The one entrance to the repository; `./build.sh help` lists the commands.
# Written for bash 3.2 and later, so that it also runs on macOS and in Git for Windows.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly CONFIGURATION="${CONFIGURATION:-Release}"
readonly ARTIFACTS="$PWD/artifacts"
readonly PACKAGE_RIDS="linux-x64 linux-arm64 win-x64"
readonly RESULTS="$ARTIFACTS/test-results"
# A test without output for this long counts as hung and ends its project's run.
HANG_TIMEOUT=5min
readonly USERS_GLOBALIZATION="${DOTNET_SYSTEM_GLOBALIZATION_INVARIANT:-}"
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1

. build/needs.sh
. build/results.sh

usage() {
  cat <<'TEXT'
usage: ./build.sh [command] [arguments]

  (none)            build everything, native library included
  setup             as root on Debian or Ubuntu: install what the tests use
  demo [name]       run a demo from samples/ (default: tokenizer)
  test [name]       run all tests but soaks, or those with this in their full name (namespace, class, method)
  test quick [name] only the tests of logic: no child processes, no waiting; within a minute after the build
  test long [name]  only what `test` leaves out because it takes long, and tests of the core in other modes of the runtime
  test fuzz TIME [target]
                    mutated inputs for all decoders and parsers, for some time such as 30s, 10m or 2h
  test soak [30m]   a server under load with everything on, for 30s, 10m, 2h …; its samples, a table and a
                    picture are artifacts/test-results/soak.*
  test coverage     line and branch coverage of each package
  test mutation [part]
                    the mutation score of the pure parts, by dotnet-stryker; hours, or one part of at most 40 minutes
  pack              build the packages into artifacts/packages and verify them
  bench [arguments] run BenchmarkDotNet benchmarks; arguments go to it, e.g. --filter '*CpuRead*'
  bench compare [name]
                    the quick side-by-side comparison: histogram (default), cpu, perf, encode,
                    scheduling, aspnet, jitter, runtime, meters,
                    spans, export, profile, requestprofile
  pictures          make the pictures in docs/ again, from real runs
  format [--check]  apply the code style, or verify it
  help              this text

CONFIGURATION=Debug builds and tests the debug configuration.
TEXT
}

# Of processes that live for a minute: without profiles, and code is compiled again after 1,280 calls (hexadecimal) instead of 30. The
# tests take a quarter less processor time.
readonly BRIEF=(DOTNET_TieredPGO=0 DOTNET_TC_CallCountThreshold=500)
RUNTIME=("${BRIEF[@]}")

say() { printf '==> %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Without the data of cultures .NET starts in this mode only.
choose_globalization() {
  [ -z "$USERS_GLOBALIZATION" ] || return 0
  if is_met cultures; then unset DOTNET_SYSTEM_GLOBALIZATION_INVARIANT; else export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1; fi
}

require_sdk() {
  has dotnet || die "the .NET 10 SDK is needed and no 'dotnet' is on the PATH: https://dotnet.microsoft.com/download"
  # global.json names the SDK; this command fails where no installed one fits.
  dotnet --version >/dev/null 2>&1 ||
    die "the .NET 10 SDK is needed; installed: $(dotnet --list-sdks | cut -d' ' -f1 | paste -sd' ' -). https://dotnet.microsoft.com/download"
}

# Installs what the tests use, as far as that is possible, and says what is skipped for want of the rest.
setup() {
  local need
  # shellcheck disable=SC2046
  install_for $(test_needs)
  choose_globalization
  for need in $(test_needs); do
    is_met "$need" || say "skipped: $(skipped_without "$need"); missing packages (Debian names): $(packages_for "$need" | paste -sd' ' -)"
  done
  if [ "$(host_rid)" = linux-x64 ] && is_met run-kernels && ! tests/Picollo.Platform.Tests/Kernel/kernels.sh; then
    say "skipped: the tests on emulated kernels; the kernels could not be downloaded"
  fi
  if [ "$(host_rid)" = linux-x64 ] && ! tests/Picollo.Peers.Tests/OpenTelemetry/victoriametrics.sh; then
    say "skipped: the tests with VictoriaMetrics; it could not be downloaded"
  fi
}

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
  env "${BRIEF[@]}" dotnet build Picollo.sln -c "$CONFIGURATION" -v quiet
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
    if [ "$wanted" = cpuworker ]; then
      case " ${*:2} " in *" --serve "* | *" --help "*) ;; *) require run-wrk ;; esac
    fi
    # And this one is a server that does not end, unless it is asked for a demonstration.
    if [ "$wanted" = web ] && [ $# -lt 2 ]; then set -- web --demo; fi
    dotnet run -c Release --project "$folder" -- "${@:2}"
    return
  done
  die "no demo '$wanted'; there are:${names:- none yet}"
}

# ---- Tests: build/results.sh counts them, CONTRIBUTING.md says which are where ----

# These need the processors for themselves; the others mostly wait for other programs, and run two at a time.
readonly ALONE='Picollo.Tests Picollo.Scheduling.Tests Picollo.Diagnostics.Tests Picollo.Profiling.Tests Picollo.BenchmarkDotNet.Tests'
readonly TOGETHER='Picollo.Platform.Tests Picollo.Peers.Tests Picollo.Cli.Tests Picollo.Samples.Tests Picollo.Export.Tests
  Picollo.AspNetCore.Tests Picollo.Analyzers.Tests Picollo.Fuzz.Tests'

# Those with tests of logic.
readonly LOGIC='Picollo.Cli.Tests Picollo.Samples.Tests Picollo.Export.Tests Picollo.AspNetCore.Tests Picollo.Analyzers.Tests
  Picollo.Fuzz.Tests'

# Those of what prints, parses and writes files; samples run in the culture of their projects.
readonly PRINTING='Picollo.Tests Picollo.Export.Tests Picollo.Cli.Tests Picollo.AspNetCore.Tests Picollo.Diagnostics.Tests
  Picollo.BenchmarkDotNet.Tests Picollo.Fuzz.Tests'

# A project in neither group would never be run.
check_projects() {
  local project
  for project in tests/*.Tests; do
    case " $(echo $ALONE $TOGETHER) " in *" ${project#tests/} "*) ;; *) die "add ${project#tests/} to ALONE or TOGETHER in build.sh" ;; esac
  done
}

# run_projects <name of the results> <how many projects at once> <filter> <language> <projects...>
# The language is the user's, as the system has it in LANG; empty for that of whoever runs this.
run_projects() {
  local results=$1 at_once=$2 filter=$3 language=$4 project code=0 assemblies=() environment=(DOTNET_CLI_UI_LANGUAGE=en "${RUNTIME[@]}")
  shift 4
  for project in "$@"; do assemblies+=("tests/$project/bin/$CONFIGURATION/net10.0/$project.dll"); done
  # A shell gives background jobs, and nohup its command, signals that are ignored, which tests send.
  if env --default-signal true 2>/dev/null; then environment=(--default-signal "${environment[@]}"); fi
  # The first of LC_ALL, LC_MESSAGES and LANG that is set names the culture.
  [ -z "$language" ] || environment=(-u LC_ALL -u LC_MESSAGES "${environment[@]}" "LANG=$language.UTF-8")
  [ -z "$NAME" ] || filter="($filter)&(FullyQualifiedName~$NAME)"
  say "tests: $results"
  rm -f "$RESULTS/$results.trx"
  env "${environment[@]}" dotnet test "${assemblies[@]}" --filter "$filter" --logger "trx;LogFileName=$results.trx" \
    --results-directory "$RESULTS" --blame-hang-timeout "$HANG_TIMEOUT" --blame-hang-dump-type none \
    -- RunConfiguration.MaxCpuCount="$at_once" || code=$?
  # No results at all, where no name was given, is no success either.
  if [ -z "$NAME" ] && [ ! -f "$RESULTS/$results.trx" ]; then code=1; fi
  count_run "$RESULTS/$results.trx" "$code"
}

# Each target is a test: build/results.sh counts the lines of results.
run_fuzz() {
  local code=0
  say "tests: fuzz"
  dotnet "tests/Picollo.Fuzz.Tests/bin/$CONFIGURATION/net10.0/Picollo.Fuzz.Tests.dll" fuzz "$@" | tee "$RESULTS/fuzz.txt" || code=$?
  count_fuzz "$RESULTS/fuzz.txt" "$code"
}

# What records, watches, schedules and profiles, in modes of the runtime in which races and what depends on compiled code show. The
# released runtime collects garbage much more often with GCStress=4. TieredPGO is on in applications; all other runs turn it off.
run_stress() {
  local mode
  for mode in GCStress=4 TieredCompilation=0 TieredPGO=1 gcServer=1; do
    RUNTIME=("DOTNET_$mode")
    run_projects "long-${mode%=*}" 1 'Category!=Slow&Category!=Long&FullyQualifiedName!~.Symbols.&FullyQualifiedName!~.Output.' '' \
      Picollo.Tests Picollo.Scheduling.Tests Picollo.Profiling.Tests
  done
}

# A prefix of its own keeps Wine out of the home folder; and it is not in this one, because it has a link to the root
# directory in it, which BenchmarkDotNet would follow when it looks for projects here.
run_native_tests() (
  prefix=$(mktemp -d)
  export WINEPREFIX="$prefix"
  # Wine's server ends some seconds after the last program, and then writes to its folder.
  trap '! has wineserver || wineserver -k 2>/dev/null || true; rm -rf "$prefix"' EXIT
  native/test.sh
)

build_and_test_native() {
  local rid native code=0
  for rid in $PACKAGE_RIDS; do
    if [ "$rid" = "$(host_rid)" ] || is_met "c-$rid"; then build_native "$rid"; fi
  done
  # Beside the build, which leaves half of the processors idle.
  run_native_tests >"$RESULTS/native.txt" 2>&1 &
  native=$!
  trap "wait $native || true" EXIT # also where the build fails
  build
  say "native tests"
  wait "$native" || code=$?
  trap - EXIT
  cat "$RESULTS/native.txt"
  count_native "$RESULTS/native.txt" "$code"
}

run_tests() {
  local mode=all
  case ${1:-} in quick | long | soak | fuzz | coverage | mutation) mode=$1; shift ;; esac
  case $mode$#${1:-} in fuzz[12][0-9]* | [!f]*0 | [!f]*1[!-]*) ;; *) usage >&2; exit 2 ;; esac
  NAME=${1:-}
  mkdir -p "$RESULTS"
  check_projects
  # Intended word splitting in all of these.
  # shellcheck disable=SC2086
  case $mode in
    quick)
      build
      run_projects quick 2 'Category!=Slow&Category!=Long' '' $ALONE $LOGIC
      ;;
    long)
      setup
      build
      run_projects long 1 'Category=Long' '' $ALONE $TOGETHER
      run_stress
      ;;
    fuzz)
      build_native "$(host_rid)"
      dotnet build tests/Picollo.Fuzz.Tests -c "$CONFIGURATION" -v quiet
      run_fuzz "$@"
      ;;
    soak)
      PICOLLO_SOAK=${1:-30m}
      [[ $PICOLLO_SOAK =~ ^[1-9][0-9]{0,4}[smh]$ ]] || { usage >&2; exit 2; }
      export PICOLLO_SOAK
      NAME='' HANG_TIMEOUT=500h # it prints nothing until its end
      build
      run_projects soak 1 'Category=Long&FullyQualifiedName~.Soak.' '' Picollo.AspNetCore.Tests
      ;;
    coverage)
      build
      build/coverage.sh $ALONE $LOGIC
      return
      ;;
    mutation)
      build_native "$(host_rid)"
      build/mutation.sh "$@"
      return
      ;;
    all)
      if [ -z "$NAME" ]; then setup; build_and_test_native; else build; fi
      run_projects together 2 'Category!=Long&FullyQualifiedName!~.Kernel.' de_DE $TOGETHER
      # An emulated machine takes several times the processor time where it has to share the processors.
      run_projects kernels 1 'Category!=Long&FullyQualifiedName~.Kernel.' de_DE Picollo.Platform.Tests
      run_projects alone 1 'Category!=Long' de_DE $ALONE
      # What prints and parses is logic. Turkish has other lower-case letters than all others.
      run_projects turkish 2 'Category!=Slow&Category!=Long' tr_TR $PRINTING
      ;;
  esac
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  [ $((passed + failed + skipped)) != 0 ] || die "no test of this run ($mode) has '$NAME' in its full name"
  [ "$failed" = 0 ]
}

# The tool as one file that needs no .NET, and what it and the packed dotnet tool take to start.
publish_tool() {
  local folder="$ARTIFACTS/picollo-linux-x64" installed="$ARTIFACTS/picollo-tool"
  rm -rf "$folder" "$installed"
  dotnet publish src/Picollo.Cli -c Release -v quiet -r linux-x64 --self-contained --artifacts-path "$ARTIFACTS/publish" \
    -p:ContinuousIntegrationBuild=true -o "$folder"
  mv "$folder/Picollo.Cli" "$folder/picollo"
  find "$folder" -type f ! -name picollo -delete
  dotnet tool install Picollo.Cli --tool-path "$installed" --add-source "$ARTIFACTS/packages" --prerelease > /dev/null
  build/startup.sh "$folder/picollo" "$installed/picollo"
}

pack() {
  local rid
  for rid in $PACKAGE_RIDS; do
    install_for "c-$rid"
    # The packages work without those of other platforms, but there without the CPU's counter.
    if [ "$rid" = "$(host_rid)" ] || has_shim "$rid" || is_met "c-$rid"; then
      build_native "$rid"
    else
      say "not in the packages: the native library for $rid; to add it, install $(packages_for "c-$rid" | paste -sd' ' -) (Debian's names)"
    fi
  done
  rm -rf "$ARTIFACTS/packages"
  # In a place of its own, so that no assembly of an ordinary build, with this machine's paths in it, is packed.
  dotnet pack Packages.slnf -c Release -v quiet --artifacts-path "$ARTIFACTS/pack" -p:ContinuousIntegrationBuild=true
  publish_tool
  PICOLLO_PACKAGES="$ARTIFACTS/packages" \
    dotnet test tests/Picollo.Platform.Tests -c Release -v quiet --filter "FullyQualifiedName~Package.&FullyQualifiedName~Contents"
  say "verified:"
  ls -l "$ARTIFACTS/packages"
}

bench() {
  build_native "$(host_rid)"
  [ $# -gt 0 ] || set -- --filter '*'
  if [ "${1:-} ${2:-}" = 'compare encode' ]; then install_for java; fi
  case "${1:-} ${2:-}" in 'compare aspnet' | 'compare runtime' | 'compare requestprofile') require run-wrk ;; esac
  if [ "${1:-} ${2:-}" = 'compare jitter' ]; then require jitter-meters; fi
  dotnet run -c Release --project benchmarks/Picollo.Benchmarks -- "$@"
}

# The tests that check the pictures also make them.
pictures() {
  local project
  require chromium terminal
  build_native "$(host_rid)"
  for project in Picollo.Peers.Tests Picollo.Cli.Tests Picollo.Samples.Tests; do
    PICOLLO_APPROVE=1 dotnet test "tests/$project" -c Release -v quiet --filter FullyQualifiedName~Picture
  done
  ls -l docs/*.svg
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
    build | demo | pack | bench | pictures | format | test) choose_globalization ;;
  esac
  case $command in
    build | demo | pack | bench | pictures | format) require_sdk; "$command" "$@" ;;
    setup) setup ;;
    test) require_sdk; run_tests "$@" ;;
    help | -h | --help) usage ;;
    *)
      printf "error: unknown command '%s'\n" "$command" >&2
      usage >&2
      exit 2
      ;;
  esac
}

main "$@"
