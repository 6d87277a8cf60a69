#!/bin/sh
# native/build.sh [rid ...]: builds the native library, and on Linux picollo_spawn, by default for this machine. The results are written
# to native/out/<rid>/. The same compiler produces the same bytes, because a library contains no path, date or host name.
set -eu
cd "$(dirname "$0")"
. ./platform.sh

LIBRARY="picollo_native.c picollo_jitter.c"
COMMON="-std=c11 -O2 -Wall -Wextra -Wpedantic -Wno-long-long -Werror -ffreestanding -fno-builtin -fno-stack-protector -nostdlib"
# No undefined symbols, hash tables for old and new loaders, no executable stack, everything bound and read-only at load time.
ELF="-shared -fPIC -fvisibility=hidden -s -Wl,--no-undefined,--hash-style=both,-z,noexecstack,-z,relro,-z,now,-soname,libpicollo_native.so"
PE="-shared -s -Wl,--entry=picollo_dll_entry,--no-insert-timestamp,--nxcompat,--dynamicbase,--high-entropy-va"
# The program must have few pages, so it is small, is loaded at a fixed address, and has nothing to link or map when it starts.
PROGRAM="-Os -static -no-pie -fno-pie -fno-asynchronous-unwind-tables -s -Wl,--build-id=none,-z,noexecstack,-z,noseparate-code"
MACH_O="-dynamiclib -fvisibility=hidden -mmacosx-version-min=11.0 -Wl,-install_name,@rpath/libpicollo_native.dylib"

# build <compiler> <result> <sources and flags...>
build() {
  compiler=$1 library=$2
  shift 2
  # The file is built in another folder and then moved, so that a process that has mapped the old file keeps it. It is built with its
  # final name, because a DLL contains its name.
  mkdir -p "$(dirname "$library")/new"
  built=$(dirname "$library")/new/$(basename "$library")
  # Word splitting of the flags is intended.
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
  # Word splitting of the flags is intended.
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
