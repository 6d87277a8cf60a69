#!/bin/sh
# Builds the native library, and on Linux picollo_spawn: native/build.sh [rid ...], by default for this machine. The results go to
# native/out/<rid>/. The same compiler produces the same bytes: no path, date or host name is in a library.
set -eu
cd "$(dirname "$0")"
. ./platform.sh

LIBRARY="picollo_native.c picollo_jitter.c"
COMMON="-std=c11 -O2 -Wall -Wextra -Wpedantic -Wno-long-long -Werror -ffreestanding -fno-builtin -fno-stack-protector -nostdlib"
# No undefined symbols, hash tables for old and new loaders, no executable stack, everything bound and read-only at load time.
ELF="-shared -fPIC -fvisibility=hidden -s -Wl,--no-undefined,--hash-style=both,-z,noexecstack,-z,relro,-z,now,-soname,libpicollo_native.so"
PE="-shared -s -Wl,--entry=picollo_dll_entry,--no-insert-timestamp,--nxcompat,--dynamicbase,--high-entropy-va"
# Small, at a fixed address, and without anything to link or map at its start: its purpose is to have few pages.
PROGRAM="-Os -static -no-pie -fno-pie -fno-asynchronous-unwind-tables -s -Wl,--build-id=none,-z,noexecstack,-z,noseparate-code"
MACH_O="-dynamiclib -fvisibility=hidden -mmacosx-version-min=11.0 -Wl,-install_name,@rpath/libpicollo_native.dylib"

# build <compiler> <result> <sources and flags...>
build() {
  compiler=$1 library=$2
  shift 2
  # Built in another folder with its final name (a DLL contains it), and moved: a process that has mapped the old one keeps it.
  mkdir -p "$(dirname "$library")/new"
  built=$(dirname "$library")/new/$(basename "$library")
  # Intended word splitting of the flags.
  # shellcheck disable=SC2086
  "$compiler" $COMMON -o "$built" "$@"
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
    linux-x64 | linux-arm64)
      build "$compiler" "$library" $LIBRARY $ELF
      build "$compiler" "$(spawn_for "$rid")" picollo_spawn.c $PROGRAM ;;
    win-x64) build "$compiler" "$library" $LIBRARY $PE ;;
    osx-x64) build "$compiler" "$library" $LIBRARY -arch x86_64 $MACH_O -lSystem ;;
    osx-arm64) build "$compiler" "$library" $LIBRARY -arch arm64 $MACH_O -lSystem ;;
  esac
done
