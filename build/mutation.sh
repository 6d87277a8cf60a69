#!/usr/bin/env bash
# mutation.sh [ROW]: measures the mutation score of pure code with dotnet-stryker. A row takes up to 40 minutes on two cores.
# Reports are in artifacts/mutation.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly VERSION=5.1.0
readonly REPORTS="$PWD/artifacts/mutation"
readonly STRYKER="$PWD/artifacts/tools/stryker-$VERSION/dotnet-stryker"

# Each row: name, package, filter of the tests, and the mutated files relative to the folder of the package.
readonly ROWS='recording Picollo Metrics Metrics/Recording/**/*.cs
reading Picollo Metrics Metrics/Reading/**/*.cs
registry Picollo Metrics Metrics/Registry/**/*.cs Metrics/Scopes/**/*.cs
proc Picollo Cpu Cpu/Linux/**/*.cs
perf Picollo PerfEvent PerfEvent/PerfCounterNumbers.cs PerfEvent/PerfReading.cs PerfEvent/PerfEventGroup.cs PerfEvent/PerfEventNames.cs
encoding Picollo.Export Export Encoding/**/*.cs
queue Picollo.Scheduling Scheduling CpuTaskQueue.cs ForEachLoop.cs Sleep.cs BodyName.cs'

names=$(cut -d' ' -f1 <<<"$ROWS" | paste -sd' ' -)
case " $names " in *" ${1:-$names} "*) ;; *) printf 'error: no row %s; available rows: %s\n' "$1" "$names" >&2; exit 1 ;; esac

[ -x "$STRYKER" ] || dotnet tool install dotnet-stryker --version "$VERSION" --tool-path "$(dirname "$STRYKER")" >/dev/null

code=0
set -f # the globs are Stryker's
while read -r row package filter globs; do
  [ "$row" = "${1:-$row}" ] || continue
  mutate=()
  for glob in $globs; do mutate+=(--mutate "$glob"); done
  printf '==> mutation: %s\n' "$row"
  (cd "tests/$package.Tests" &&
    "$STRYKER" --project "$package.csproj" "${mutate[@]}" --configuration Release --concurrency 2 --skip-version-check \
      --test-case-filter "Category!=Slow&Category!=Long&FullyQualifiedName~$filter" \
      --reporter json --reporter cleartext --output "$REPORTS/$row" </dev/null) || code=$?
done <<<"$ROWS"
exit "$code"
