#!/usr/bin/env bash
# coverage.sh PROJECT...: measures the line and branch coverage of each package by the tests of all specified projects. The projects must be built.
set -euo pipefail
results=$PWD/artifacts/coverage
rm -rf "$results"
for project in "$@"; do
  printf '==> coverage of %s\n' "$project"
  # Failures are ignored, because tests that measure time fail under the collector and only the executed lines matter. A build with CI=true contains no local source paths.
  dotnet test "tests/$project" -c "${CONFIGURATION:-Release}" --no-build --filter 'Category!=Long' --collect 'XPlat Code Coverage' \
    --results-directory "$results/$project" -- \
    'DataCollectionRunSettings.DataCollectors.DataCollector.Configuration.Include=[Picollo*]*' \
    'DataCollectionRunSettings.DataCollectors.DataCollector.Configuration.Exclude=[*.Tests]*' \
    'DataCollectionRunSettings.DataCollectors.DataCollector.Configuration.ExcludeAssembliesWithoutSources=None' || true
  [ -n "$(find "$results/$project" -name coverage.cobertura.xml 2>/dev/null)" ] ||
    { printf 'error: no coverage was collected for %s\n' "$project" >&2; exit 1; }
done

# Each line counts once. It is covered if the tests of any project executed it. The covered branches of a line are those of the project that executed most of them.
find "$results" -name coverage.cobertura.xml -exec cat {} + | awk '
  function attribute(name,   value) {
    if (!match($0, " " name "=\"[^\"]*\"")) return ""
    value = substr($0, RSTART, RLENGTH); sub(/^[^"]*"/, "", value); sub(/"$/, "", value)
    return value
  }
  /<package / { package = attribute("name"); packages[package] }
  /<class / { file = attribute("filename"); sub(/^.*src\//, "", file) } # relative to one of several source folders
  /<methods>/ { in_methods = 1 }
  /<\/methods>/ { in_methods = 0 }
  /<line / && !in_methods && file !~ /\/obj\// {
    key = package SUBSEP file SUBSEP attribute("number")
    if (!(key in hits)) hits[key] = 0
    hits[key] += attribute("hits")
    if (match($0, /\([0-9]+\/[0-9]+\)/)) {
      split(substr($0, RSTART + 1, RLENGTH - 2), of, "/")
      if (of[1] + 0 >= taken[key] + 0) taken[key] = of[1]
      branches[key] = of[2]
    }
  }
  END {
    for (key in hits) {
      split(key, part, SUBSEP)
      lines[part[1]]++; if (hits[key] > 0) covered[part[1]]++
      ways[part[1]] += branches[key]; gone[part[1]] += taken[key]
    }
    printf "%-26s %8s %8s %8s %8s\n", "package", "lines", "covered", "branches", "covered"
    for (package in packages) if (lines[package])
      printf "%-26s %8d %7.1f%% %8d %7.1f%%\n", package, lines[package], 100 * covered[package] / lines[package], ways[package], ways[package] ? 100 * gone[package] / ways[package] : 100 | "sort"
  }'
