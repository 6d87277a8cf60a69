#!/bin/sh
# Builds the native shim: native/build.sh [rid ...], by default for this machine. The libraries go to
# native/out/<rid>/. Same compiler, same bytes: no path, date or host name enters a library.
set -eu
cd "$(dirname "$0")"
. ./platform.sh

COMMON="-std=c11 -O2 -Wall -Wextra -Wpedantic -Wno-long-long -Werror -ffreestanding -fno-builtin -fno-stack-protector -nostdlib"
# Leave nothing undefined, hash for old and new loaders, no executable stack, everything bound and read-only at load.
ELF="-shared -fPIC -fvisibility=hidden -s -Wl,--no-undefined,--hash-style=both,-z,noexecstack,-z,relro,-z,now,-soname,libpicollo_native.so"
PE="-shared -s -Wl,--entry=picollo_dll_entry,--no-insert-timestamp,--nxcompat,--dynamicbase,--high-entropy-va"
MACH_O="-dynamiclib -fvisibility=hidden -mmacosx-version-min=11.0 -Wl,-install_name,@rpath/libpicollo_native.dylib"

# build <compiler> <library> <flags...>
build() {
  compiler=$1 library=$2
  shift 2
  # Built aside, under its own name (a DLL carries it), and moved: a process that has the old one mapped keeps it.
  mkdir -p "$(dirname "$library")/new"
  built=$(dirname "$library")/new/$(basename "$library")
  # Intended word splitting of the flags.
  # shellcheck disable=SC2086
  "$compiler" $COMMON "$@" -o "$built" picollo_native.c
  mv "$built" "$library"
  rmdir "$(dirname "$library")/new"
  echo "built native/$library"
}

[ $# -gt 0 ] || set -- "$(host_rid)"
for rid in "$@"; do
  library=$(library_for "$rid")
  compiler=$(compiler_for "$rid")
  # Intended word splitting of the flags.
  # shellcheck disable=SC2086
  case $rid in
    linux-x64 | linux-arm64) build "$compiler" "$library" $ELF ;;
    win-x64) build "$compiler" "$library" $PE ;;
    osx-x64) build "$compiler" "$library" -arch x86_64 $MACH_O -lSystem ;;
    osx-arm64) build "$compiler" "$library" -arch arm64 $MACH_O -lSystem ;;
  esac
done
