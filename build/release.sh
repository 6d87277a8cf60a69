#!/usr/bin/env bash
# Checks of a release. .github/workflows/release.yml runs both; they can also run locally.
#
# build/release.sh check TAG [FOLDER]   check that tag, version, CHANGELOG and the packages in FOLDER agree [default: artifacts/packages]
# build/release.sh reproduce            check that two clones of HEAD in different folders pack identical assemblies
set -euo pipefail

cd "$(dirname "$0")/.."

# Platforms whose native library is part of each release.
readonly RIDS="linux-x64 linux-arm64 win-x64 osx-x64 osx-arm64"
# A text that the documents contain until the first release.
readonly UNPUBLISHED="not on nuget.org yet"

problems=0
problem() { printf 'error: %s\n' "$*" >&2; problems=$((problems + 1)); }

files_of() { unzip -Z1 "$1" 2> /dev/null; }

check() {
  local tag=$1 folder=${2:-artifacts/packages} version id package packages=0 rid
  version=$(sed -n 's|.*<Version>\(.*\)</Version>.*|\1|p' Directory.Build.props)
  [ "$tag" = "v$version" ] || problem "the tag is $tag, but the version in Directory.Build.props is $version"
  grep -Eq "^## \[${version//./\\.}\] - [0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$" CHANGELOG.md \
    || problem "CHANGELOG.md has no line '## [$version] - YYYY-MM-DD'"
  ! grep -rIl --include='*.md' "$UNPUBLISHED" README.md docs src > /dev/null \
    || problem "documents state that the packages are $UNPUBLISHED: $(grep -rIl --include='*.md' "$UNPUBLISHED" README.md docs src | sort | paste -sd' ' -)"

  for id in $(sed -n 's|.*"src\\\\\(Picollo[A-Za-z.]*\)\\\\.*|\1|p' Packages.slnf | grep -v Analyzers); do
    package=$folder/$id.$version.nupkg
    if files_of "$package" | grep -qx "$id.nuspec"; then packages=$((packages + 1)); else problem "$package is missing or damaged"; fi
  done
  for rid in $RIDS; do
    files_of "$folder/Picollo.$version.nupkg" | grep -q "^runtimes/$rid/native/" \
      || problem "Picollo.$version.nupkg has no native library for $rid"
  done
  [ "$problems" = 0 ] || exit 1
  echo "$tag can be released: $packages packages"
}

# The folder names have different lengths, because a path in an assembly would also shift the data after it.
reproduce() {
  local name package folder
  folder=$(mktemp -d)
  # shellcheck disable=SC2064 # expanded now, because the variable is local
  trap "rm -rf '$folder'" EXIT
  for name in one another-name; do
    git clone -q . "$folder/$name"
    [ ! -d native/out ] || cp -r native/out "$folder/$name/native/out"
    (cd "$folder/$name" && CI=true dotnet pack Packages.slnf -c Release -v quiet)
    mkdir "$folder/$name.files"
    for package in "$folder/$name"/artifacts/packages/*.nupkg; do
      unzip -qo "$package" '*.dll' '*.exe' -d "$folder/$name.files/$(basename "$package" .nupkg)" 2> /dev/null || true
    done
    (cd "$folder/$name.files" && find . -type f ! -path '*/.*/*' -exec sha256sum {} + | sort -k 2 > "$folder/$name.sums")
  done
  [ -s "$folder/one.sums" ] || { echo "error: no package was created" >&2; exit 1; }
  diff "$folder/one.sums" "$folder/another-name.sums" || { echo "error: the assemblies of two clones differ" >&2; exit 1; }
  echo "$(wc -l < "$folder/one.sums") assemblies are identical in two clones"
}

command -v unzip > /dev/null || { echo "error: unzip is missing; install the package unzip" >&2; exit 1; }
case "${1:-} $#" in
  "check 2" | "check 3") check "${@:2}" ;;
  "reproduce 1") reproduce ;;
  *) sed -n '4,5s/^# //p' "$0" >&2; exit 2 ;;
esac
