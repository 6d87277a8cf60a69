#!/bin/sh
# Downloads VictoriaMetrics from Debian 13 (trixie) into the user's cache and unpacks it without installing it. The version in Debian 12
# does not accept the exponential histograms of OTLP. Requires Debian, and uses a separate package source and apt directory. Does nothing
# if the program already exists.
set -eu
# The same folder as Needs.VictoriaMetrics.
cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/picollo
final=$cache/victoria-metrics
if [ -x "$final/usr/bin/victoria-metrics" ]; then
  exit 0
fi
say() { printf 'victoria-metrics: %s\n' "$*"; }

keys=/usr/share/keyrings/debian-archive-keyring.gpg
if ! grep -qs '^ID=debian$' /etc/os-release || [ ! -e "$keys" ]; then
  say "this system is not Debian; the tests with VictoriaMetrics are skipped"
  exit 1
fi
source=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 2>/dev/null | sed -n 's#^Debian \(.*/debian/\)$#\1#p' | head -n 1)
if [ -z "$source" ]; then
  say "apt has no lists of Debian's packages; the tests with VictoriaMetrics are skipped; run 'apt-get update' as root"
  exit 1
fi

mkdir -p "$cache"
# The files are unpacked next to their final place and then moved, so that other clones never see an incomplete directory.
folder=$(mktemp -d "$cache/victoria-metrics.XXXXXX")
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/deb"
printf 'deb [signed-by=%s] %s trixie main\n' "$keys" "$source" >"$folder/apt/sources.list"
cat >"$folder/apt/apt.conf" <<CONF
APT::Sandbox::User "root";
Dir::Etc::SourceList "$folder/apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State "$folder/apt";
Dir::State::status "/dev/null";
Dir::Cache "$folder/apt/cache";
CONF
export APT_CONFIG="$folder/apt/apt.conf"
apt-get -qq update
say "fetching"
(cd "$folder/deb" && apt-get -qq download victoria-metrics)
dpkg-deb -x "$folder"/deb/*.deb "$folder/unpacked"
rm -rf "$final"
mv "$folder/unpacked" "$final"
say "ready in $final"
