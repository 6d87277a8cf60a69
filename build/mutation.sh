#!/usr/bin/env bash
# mutation.sh [PART]: measures the mutation score of pure code with dotnet-stryker. A part takes up to 40 minutes on two cores.
# Reports are in artifacts/mutation.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly VERSION=5.1.0
readonly REPORTS="$PWD/artifacts/mutation"
readonly STRYKER="$PWD/artifacts/tools/stryker-$VERSION/dotnet-stryker"

# Each part: name, package, names of the tests, separated by |, and the mutated files relative to the folder of the package.
readonly PARTS='counting Picollo Metrics Metrics/Counting/**/*.cs
recording Picollo Metrics Metrics/Recording/**/*.cs
reading Picollo Metrics Metrics/Reading/**/*.cs
registry Picollo Metrics Metrics/Registry/**/*.cs Metrics/Json/**/*.cs
proc Picollo Cpu Cpu/Linux/**/*.cs
perf Picollo PerfEvent PerfEvent/PerfCounterNumbers.cs PerfEvent/PerfReading.cs PerfEvent/PerfEventGroup.cs PerfEvent/PerfEventNames.cs
encoding Picollo.Export Export Encoding/**/*.cs
queue Picollo.Scheduling Scheduling CpuTaskQueue.cs ForEachLoop.cs Sleep.cs BodyName.cs
otlp Picollo.Export Otlp OpenTelemetry/OtlpCollector.cs OpenTelemetry/OtlpRequest.cs OpenTelemetry/OtlpSettings.cs
prometheus Picollo.Export Prometheus|OpenMetrics|AcceptHeader|ExponentialBounds Prometheus/*.cs Buckets/*.cs
timelines Picollo.Profiling Sampling Sampling/Flow*.cs Sampling/KeptFlows.cs Sampling/PerfRecord.cs Sampling/Sampled*.cs Sampling/SampleCollector.cs Sampling/SampleTree.cs
symbols Picollo.Profiling Symbols Symbols/CodeMap.cs Symbols/KernelSymbols.cs Symbols/MethodNames.cs Symbols/PerfMap.cs
meters Picollo.Diagnostics Meters Meters/*.cs
account Picollo.AspNetCore Tests.Usage|ContractTests Reading/PageReader.cs Reading/ProcessAccount.cs Reading/RecentHistory.cs
running Picollo.AspNetCore Requests|Latency Measuring/LatencyMatrix.cs Measuring/Row.cs Measuring/RowTable.cs Measuring/RunList.cs Measuring/SlowestRequests.cs'

names=$(cut -d' ' -f1 <<<"$PARTS" | paste -sd' ' -)
case " $names " in *" ${1:-$names} "*) ;; *) printf "error: no part '%s'; available parts: %s\n" "$1" "$names" >&2; exit 1 ;; esac

[ -x "$STRYKER" ] || dotnet tool install dotnet-stryker --version "$VERSION" --tool-path "$(dirname "$STRYKER")" >/dev/null

code=0
set -f # Stryker expands the globs, not the shell
while read -r part package filter globs; do
  [ "$part" = "${1:-$part}" ] || continue
  mutate=()
  for glob in $globs; do mutate+=(--mutate "$glob"); done
  printf '==> mutation: %s\n' "$part"
  (cd "tests/$package.Tests" &&
    "$STRYKER" --project "$package.csproj" "${mutate[@]}" --configuration Release --concurrency 2 --skip-version-check \
      --test-case-filter "Category!=Slow&Category!=Long&(FullyQualifiedName~${filter//|/|FullyQualifiedName~})" \
      --reporter json --reporter cleartext --output "$REPORTS/$part" </dev/null) || code=$?
done <<<"$PARTS"
exit "$code"
