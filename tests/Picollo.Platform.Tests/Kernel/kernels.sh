#!/bin/sh
# Downloads Debian's kernels and static busybox for arm64 and amd64, which the emulated machines boot, into the user's cache. The
# packages are unpacked but not installed. Requires Debian with its package sources, but neither root nor the system's package lists,
# because apt works in a separate directory. Does nothing if all files exist.
set -eu
# The same folder as Needs.KernelFolder.
cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/picollo
final=$cache/kernels
mkdir -p "$cache"
# The files are created in a temporary directory, which is then moved, so that other clones never see a partial directory.
folder=$(mktemp -d "$cache/kernels.XXXXXX")
trap 'rm -rf "$folder"' EXIT

# Returns whether all files exist. The tests check for the same files.
has_all() {
  for file in arm64/vmlinuz arm64/busybox amd64/vmlinuz amd64/busybox; do
    [ -e "$final/$file" ] || return 1
  done
}

say() { printf 'kernels: %s\n' "$*"; }

if has_all; then
  exit 0
fi
# Other distributions, including Ubuntu, name their kernels differently and have the packages for arm64 on another server.
if ! grep -qs '^ID=debian$' /etc/os-release; then
  say "this system is not Debian, which provides the kernels; the tests on emulated kernels are skipped"
  exit 1
fi
for tool in apt-get apt-cache dpkg-deb; do
  command -v $tool >/dev/null || { say "$tool is not installed; the tests on emulated kernels are skipped"; exit 1; }
done

mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/deb"
cat >"$folder/apt/apt.conf" <<CONF
APT::Architecture "amd64";
APT::Architectures { "amd64"; "arm64"; };
APT::Sandbox::User "root";
APT::Install-Recommends "false";
Dir::State "$folder/apt";
Dir::State::status "/dev/null";
Dir::Cache "$folder/apt/cache";
CONF
export APT_CONFIG="$folder/apt/apt.conf"

# kernel_of <meta package>: prints the kernel package on which the meta package depends.
kernel_of() { apt-cache depends "$1" | sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p' | head -n 1; }

# unpack <package> <folder>
unpack() {
  say "fetching $1"
  (cd "$folder/deb" && rm -f -- *.deb && apt-get -qq download "$1")
  rm -rf "$2.new"
  dpkg-deb -x "$folder"/deb/*.deb "$2.new"
  rm -f "$folder"/deb/*.deb
}

apt-get -qq update
for architecture in arm64 amd64; do
  mkdir -p "$folder/$architecture"
  unpack "busybox-static:$architecture" "$folder/busybox"
  mv "$folder/busybox.new/bin/busybox" "$folder/$architecture/busybox"
  unpack "$(kernel_of "linux-image-cloud-$architecture:$architecture")" "$folder/cloud"
  mv "$folder"/cloud.new/boot/vmlinuz-* "$folder/$architecture/vmlinuz"
done
rm -rf "$folder"/*.new "$folder/apt" "$folder/deb"
rm -rf "$final"
mv "$folder" "$final"
say "ready in $final"
