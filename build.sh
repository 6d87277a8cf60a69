#!/usr/bin/env bash
# Builds, tests and packs the repository; `./build.sh help` lists the commands.
# Written for bash 3.2 and later, so that it also runs on macOS and in Git for Windows.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly CONFIGURATION="${CONFIGURATION:-Release}"
readonly ARTIFACTS="$PWD/artifacts"
readonly PACKAGE_RIDS="linux-x64 linux-arm64 win-x64"
readonly RESULTS="$ARTIFACTS/test-results"
# If a test prints nothing for this time, it counts as hung, and the run of its project ends.
HANG_TIMEOUT=15min
NO_INSTALL=''
readonly USERS_GLOBALIZATION="${DOTNET_SYSTEM_GLOBALIZATION_INVARIANT:-}"
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1

. build/needs.sh
. build/stages.sh

usage() {
  cat <<'TEXT'
usage: ./build.sh [command] [arguments]

  (none)            build all projects and the native library
  setup             install the dependencies of all tests (as root, on Debian or Ubuntu)
  demo [name]       run a demo from samples/ [default: tokenizer]
  test [--no-install] [name]
                    run all tests except long ones, or only those whose full name (namespace, class, method) contains the name.
                    Without a name, as root on Debian or Ubuntu, installs missing tools first (unless --no-install is given)
  test quick [name] run only fast tests, which start no processes and do not wait; takes 1 to 2 minutes after the build
  test long [--no-install] [name]
                    run only long tests (foreign servers, Java, load for a long time), and the core tests in other modes of the runtime
  test fuzz TIME [target]
                    run mutated inputs through all decoders and parsers for TIME, such as 30s, 10m or 2h
  test soak [TIME]  run a server with all features under load for TIME, such as 30s, 10m or 2h [default: 30m], and verify
                    its counts; from 20m on, also verify that memory, descriptors and CPU time do not grow.
                    Writes samples, a table and a plot to artifacts/test-results/soak.*
  test coverage     measure the line and branch coverage of each package
  test mutation [part]
                    measure the mutation score of pure code with dotnet-stryker; takes hours in total, at most 40 minutes per part
  pack              build packages in artifacts/packages and verify them
  bench [arguments] run BenchmarkDotNet benchmarks with arguments such as --filter '*CpuRead*'
  bench compare [name]
                    run a quick side-by-side comparison: histogram (default), cpu, perf, encode,
                    scheduling, aspnet, jitter, runtime, meters,
                    spans, export, profile, requestprofile
  pictures          update the pictures in docs/ from real runs
  format [--check]  apply or verify the code style
  help              show this text

Set CONFIGURATION=Debug to build and test the debug configuration.
TEXT
}

# Settings for short-lived processes: no dynamic PGO, and recompilation after 1,280 calls (0x500) instead of 30. The
# tests take a quarter less CPU time.
readonly BRIEF=(DOTNET_TieredPGO=0 DOTNET_TC_CallCountThreshold=500)
RUNTIME=("${BRIEF[@]}")

say() { printf '==> %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Without ICU, .NET starts only in globalization-invariant mode.
choose_globalization() {
  [ -z "$USERS_GLOBALIZATION" ] || return 0
  if is_met cultures; then unset DOTNET_SYSTEM_GLOBALIZATION_INVARIANT; else export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1; fi
}

require_sdk() {
  has dotnet || die "the .NET 10 SDK is required, but 'dotnet' is not on the PATH; download it from https://dotnet.microsoft.com/download"
  # global.json specifies the SDK; this command fails if no matching one is installed.
  dotnet --version >/dev/null 2>&1 ||
    die "the .NET 10 SDK is required; installed: $(dotnet --list-sdks | cut -d' ' -f1 | paste -sd' ' -); download it from https://dotnet.microsoft.com/download"
}

# setup [needs...]: installs the dependencies of the tests if possible, and reports which tests are skipped because a dependency is missing.
# The first line says what is installed.
setup() {
  local need packages downloads='' cache=${XDG_CACHE_HOME:-${HOME:-}/.cache}/picollo
  # shellcheck disable=SC2046
  [ $# -gt 0 ] || set -- $(test_needs) $(long_needs)
  if [ "$(host_rid)" = linux-x64 ] && [ -z "$NO_INSTALL" ]; then
    case " $* " in *' run-kernels '*) downloads=kernels ;; esac
    case " $* " in *' java '*) downloads="$downloads victoria-metrics aspire-dashboard-13.6.5" ;; esac
  fi
  packages=$(packages_to_install "$@")
  for need in $downloads; do [ -d "$cache/$need" ] || packages="$packages $need (to $cache)"; done
  [ -z "$packages" ] || say "installing (nothing with test --no-install): $packages"
  install_silently "$@"
  choose_globalization
  for need in "$@"; do
    is_met "$need" || say "skipped: $(skipped_without "$need"); missing packages (Debian names): $(packages_for "$need" | paste -sd' ' -)"
  done
  case $downloads in *kernels*)
    if is_met run-kernels && ! tests/Picollo.Platform.Tests/Kernel/kernels.sh; then
      say "skipped: the tests on emulated kernels, because the kernels could not be downloaded"
    fi ;;
  esac
  case $downloads in *victoria-metrics*)
    tests/Picollo.Peers.Tests/OpenTelemetry/victoriametrics.sh ||
      say "skipped: the tests with VictoriaMetrics, because it could not be downloaded"
    tests/Picollo.Peers.Tests/OpenTelemetry/aspire.sh ||
      say "skipped: the tests with the Aspire dashboard, because it could not be downloaded" ;;
  esac
}

has_shim() { [ -n "$(ls "native/out/$1/"*picollo_native.* 2>/dev/null)" ]; }

# Builds the native library for the specified platforms. Without a compiler for a platform, uses the existing library, which another
# machine built; the CI workflows copy it from job to job.
build_native() {
  local rid needs=''
  for rid in "$@"; do has_shim "$rid" || needs="$needs c-$rid"; done
  # shellcheck disable=SC2086
  require $needs
  for rid in "$@"; do
    if is_met "c-$rid"; then native/build.sh "$rid"; else say "native library for $rid: using the existing file"; fi
  done
}

# Checks that lines of C# in src/ have at most 140 columns. In a UTF-8 locale, grep counts characters and not bytes.
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

# The name of a sample on the command line: its folder name in lower case, without "Demo" or "Api".
demo_name() { basename "$1" | tr '[:upper:]' '[:lower:]' | sed 's/demo$//; s/api$//'; }

demo() {
  local wanted folder names=''
  wanted=$(demo_name "${1:-tokenizer}")
  for folder in samples/*/; do
    [ -n "$(ls "$folder"*.csproj 2>/dev/null)" ] || continue
    names="$names $(demo_name "$folder")"
    [ "$(demo_name "$folder")" = "$wanted" ] || continue
    build_native "$(host_rid)"
    # This demo puts a server under load with wrk. The server process itself does not need wrk.
    if [ "$wanted" = cpuworker ]; then
      case " ${*:2} " in *" --serve "* | *" --help "*) ;; *) require run-wrk ;; esac
    fi
    # This demo is a server that does not end unless it runs with --demo.
    if [ "$wanted" = web ] && [ $# -lt 2 ]; then set -- web --demo; fi
    dotnet run -c Release --project "$folder" -- "${@:2}"
    return
  done
  die "no demo '$wanted'; available demos:${names:- none}"
}

# ---- Tests: build/stages.sh runs the stages and counts the results, CONTRIBUTING.md describes the projects ----

# A stage is a test project, or a folder of one. The stage of a project runs the tests of its other folders. The stages in ALONE and
# KERNELS need exclusive use of the CPUs (an emulated machine needs several times the CPU time if it has to share them). Those in TOGETHER
# mostly wait for other programs, so two of them run at a time, the longest first.
readonly ALONE='Picollo.Profiling.Tests Picollo.Tests Picollo.Scheduling.Tests Picollo.Diagnostics.Tests'
readonly KERNELS=Picollo.Platform.Tests/Kernel
readonly TOGETHER='Picollo.AspNetCore.Tests Picollo.Platform.Tests Picollo.Peers.Tests/Chromium Picollo.Cli.Tests
  Picollo.Platform.Tests/Wine Picollo.Samples.Tests Picollo.BenchmarkDotNet.Tests Picollo.Peers.Tests Picollo.Export.Tests Picollo.Fuzz.Tests
  Picollo.Analyzers.Tests'

# Projects with fast tests.
readonly LOGIC='Picollo.BenchmarkDotNet.Tests Picollo.Cli.Tests Picollo.Samples.Tests Picollo.Export.Tests Picollo.AspNetCore.Tests Picollo.Analyzers.Tests
  Picollo.Fuzz.Tests'

# A project in neither group would never run.
check_projects() {
  local project
  for project in tests/*.Tests; do
    case " $(echo $ALONE $TOGETHER) " in *" ${project#tests/} "*) ;; *) die "add ${project#tests/} to ALONE or TOGETHER in build.sh" ;; esac
  done
}

# Each target counts as a test: build/results.sh counts the result lines.
run_fuzz() {
  local code=0
  say "tests: fuzz"
  dotnet "tests/Picollo.Fuzz.Tests/bin/$CONFIGURATION/net10.0/Picollo.Fuzz.Tests.dll" fuzz "$@" | tee "$RESULTS/fuzz.txt" || code=$?
  [ "$code" != 2 ] || exit 2 # no such target
  count_fuzz "$RESULTS/fuzz.txt" "$code"
}

# Runs the tests of recording, watching, scheduling and profiling in modes of the runtime that reveal races and dependencies on
# compiled code. With GCStress=4, the release build of the runtime collects garbage much more often. TieredPGO is enabled by default in
# applications; the ordinary test runs disable it.
run_stress() {
  local mode races='FullyQualifiedName~StressTests|FullyQualifiedName~ThreadChurnTests' # they use several threads, and are therefore slow
  races+='|FullyQualifiedName~.CpuProfilerTests|FullyQualifiedName~.FlowProfileTests'
  for mode in GCStress=4 TieredCompilation=0 TieredPGO=1 gcServer=1; do
    RUNTIME=("DOTNET_$mode")
    run_stages "${mode%=*}" 1 "(Category!=Slow|$races)&Category!=Long&FullyQualifiedName!~.Symbols.&FullyQualifiedName!~.Output." '' \
      Picollo.Tests Picollo.Scheduling.Tests Picollo.Profiling.Tests
  done
}

# A separate prefix keeps Wine out of the home directory. It is not in the repository, because it contains a link to the root
# directory, which BenchmarkDotNet would follow when it searches for projects.
run_native_tests() (
  prefix=$(mktemp -d)
  export WINEPREFIX="$prefix"
  # The Wine server exits a few seconds after the last program, and then writes to its directory.
  trap '! has wineserver || wineserver -k 2>/dev/null || true; rm -rf "$prefix"' EXIT
  native/test.sh
)

build_and_test_native() {
  local rid native code=0
  for rid in $PACKAGE_RIDS; do
    if [ "$rid" = "$(host_rid)" ] || is_met "c-$rid"; then build_native "$rid"; fi
  done
  # The native tests run in parallel with the build, which leaves half of the CPUs idle.
  run_native_tests >"$RESULTS/native.txt" 2>&1 &
  native=$!
  trap "wait $native || true" EXIT # even if the build fails
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
  case $mode${1:-} in all--no-install | long--no-install) NO_INSTALL=1; shift ;; esac
  case $mode$# in fuzz[12] | [!f]*[01]) ;; *) usage >&2; exit 2 ;; esac
  case $mode${1:-} in
    fuzz* | soak?*) [[ $1 =~ ^[1-9][0-9]{0,4}[smh]$ ]] || die "'$1' is not a duration such as 30s, 10m or 2h" ;;
    *-*) case $1 in -*) usage >&2; exit 2 ;; esac ;;
  esac
  NAME=${1:-}
  start_stages
  check_projects
  # Word splitting is intended in all of these.
  # shellcheck disable=SC2086
  case $mode in
    quick)
      stage build build
      run_stages quick 2 'Category!=Slow&Category!=Long' '' $ALONE $LOGIC
      ;;
    long)
      # shellcheck disable=SC2046
      [ -n "$NAME" ] || stage setup setup $(test_needs) $(long_needs)
      stage build build
      run_stages long 1 'Category=Long' '' $ALONE $KERNELS $TOGETHER
      run_stress
      ;;
    fuzz)
      build_native "$(host_rid)"
      dotnet build tests/Picollo.Fuzz.Tests -c "$CONFIGURATION" -v quiet
      stage fuzz run_fuzz "$@"
      ;;
    soak)
      export PICOLLO_SOAK=${1:-30m}
      NAME='' HANG_TIMEOUT=500h # the test prints nothing until it ends
      build_native "$(host_rid)"
      dotnet build tests/Picollo.AspNetCore.Tests -c "$CONFIGURATION" -v quiet
      say "a server runs under load for $PICOLLO_SOAK; samples are added to $RESULTS/soak.csv"
      run_stages soak 1 'Category=Long&FullyQualifiedName~.Soak.' '' Picollo.AspNetCore.Tests
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
      # Turkish has unusual lower-case letters, a decimal comma and a percent sign before the number.
      if [ -z "$NAME" ]; then stage setup setup $(test_needs); stage 'build, native tests' build_and_test_native; else stage build build; fi
      run_stages all 2 'Category!=Long' tr_TR $TOGETHER
      run_stages all 1 'Category!=Long' tr_TR $KERNELS $ALONE
      ;;
  esac
  print_stages
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  [ $((passed + failed + skipped)) != 0 ] || die "no test of this run ($mode) has a full name that contains '$NAME'"
  [ "$failed" = 0 ]
}

# Publishes the tool as a self-contained file, and measures the startup time of this file and of the packed dotnet tool.
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
    # Packages without the library of a platform work there, but without the time-stamp counter of the CPU.
    if [ "$rid" = "$(host_rid)" ] || has_shim "$rid" || is_met "c-$rid"; then
      build_native "$rid"
    else
      say "not in the packages: the native library for $rid; to add it, install (Debian names): $(packages_for "c-$rid" | paste -sd' ' -)"
    fi
  done
  rm -rf "$ARTIFACTS/packages"
  # A separate folder, because the assemblies of an ordinary build contain paths of this machine and must not be packed.
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
  case "${1:-} ${2:-}" in 'compare aspnet' | 'compare runtime' | 'compare requestprofile' | 'compare breakdown') require run-wrk ;; esac
  if [ "${1:-} ${2:-}" = 'compare jitter' ]; then require jitter-meters; fi
  dotnet run -c Release --project benchmarks/Picollo.Benchmarks -- "$@"
}

# The tests that check the pictures also create them.
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
