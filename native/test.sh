#!/bin/sh
# Tests every native library that is built: inspects the file, and runs tests.c both linked against the library and compiled with its
# sources. Tests picollo_spawn with spawn_tests.c. Libraries of other platforms run under an emulator (qemu-user, Wine) if it is
# installed; otherwise, a message says that the tests did not run. Exits with 1 on any failure.
set -eu
cd "$(dirname "$0")"
. ./platform.sh

failures=0
libraries=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

problem() {
  echo "  FAILED: $*"
  failures=$((failures + 1))
}

not_run() { echo "  not run: $*"; }

# The names of the functions that the header declares.
declared() { sed -n 's/^PICOLLO_API .*\(picollo_[a-z_]*\)(.*/\1/p' picollo_native.h | sort; }

# One library supports glibc and musl only if it needs neither.
inspect_elf() {
  has readelf || { not_run "the inspection of the file (apt install binutils)"; return; }
  readelf -dW "$1" >"$work/dynamic"
  readelf --dyn-syms -W "$1" >"$work/symbols"
  readelf -lW "$1" >"$work/segments"
  if grep NEEDED "$work/dynamic"; then problem "depends on another library"; fi
  if awk '$7 == "UND" && $8 != ""' "$work/symbols" | grep .; then problem "has undefined symbols"; fi
  if grep 'GNU_STACK.* RWE ' "$work/segments"; then problem "requires an executable stack"; fi
  awk '$5 == "GLOBAL" && $7 != "UND" { print $8 }' "$work/symbols" | sort >"$work/exported"
  declared | diff - "$work/exported" || problem "its exported symbols are not those that the header declares"
}

inspect_pe() {
  has x86_64-w64-mingw32-objdump || { not_run "the inspection of the file (apt install binutils-mingw-w64-x86-64)"; return; }
  x86_64-w64-mingw32-objdump -p "$1" >"$work/headers"
  if grep 'DLL Name:' "$work/headers"; then problem "depends on another library"; fi
  sed -n 's/^.*\] .*\(picollo_[a-z_]*\)$/\1/p' "$work/headers" | sort -u >"$work/exported"
  declared | diff - "$work/exported" || problem "its exported symbols are not those that the header declares"
}

# link <compiler> <library> <flags...>: links tests*.c against the library, and copies the library next to the program.
link() {
  compiler=$1 library=$2
  shift 2
  cp "$library" "$work/"
  rm -f "$work/tests.exe"
  "$compiler" -std=c11 -O1 -Wall -Wextra -Werror -Wno-long-long -pthread "$@" \
    -o "$work/tests.exe" tests*.c "$work/$(basename "$library")"
}

# If the compilation failed, this fails too, because the program of the previous compiler was deleted.
run() { "$@" "$work/tests.exe" || problem "tests.c"; }

# test_spawn <rid> <compiler> <emulator...>: a program of this machine starts picollo_spawn and its commands.
test_spawn() {
  rid=$1 compiler=$2
  shift 2
  program=$PWD/$(spawn_for "$rid")
  [ -f "$program" ] || { problem "$program does not exist"; return; }
  echo "$(spawn_for "$rid")"
  if has readelf; then
    if readelf -lW "$program" | grep -E 'INTERP|DYNAMIC| RWE '; then problem "needs a loader, or has writable executable memory"; fi
  fi
  # A file that was copied from another machine may not be executable.
  cp "$program" "$work/picollo_spawn" && chmod u+x "$work/picollo_spawn"
  "$compiler" -std=c11 -O1 -Wall -Wextra -Werror -o "$work/spawn_tests" spawn_tests.c
  "$work/spawn_tests" "$@" "$work/picollo_spawn" || problem "spawn_tests.c"
}

# Tests the same library in a program that uses musl. The compiler of musl searches its own headers first, and then those of the kernel.
test_musl() {
  if has musl-gcc; then
    link musl-gcc "$1" -Wl,-rpath,"$work" -idirafter /usr/include -idirafter "/usr/include/$(uname -m)-linux-gnu" || :
    echo "  under musl:"
    run
  else
    not_run "tests.c under musl (apt install musl musl-tools)"
  fi
}

# Compiles the library's sources and tests*.c into one program, with each compiler, with and without optimization. Undefined behavior
# ends the program.
test_sources() {
  flags="-std=c11 -Wall -Wextra -Werror -Wno-long-long -fsanitize=undefined -fno-sanitize-recover=all -pthread"
  for compiler in gcc clang; do
    # Word splitting of the flags is intended.
    # shellcheck disable=SC2086
    if ! echo "int main(void) { return 0; }" | "$compiler" $flags -x c -o "$work/tests.exe" - 2>/dev/null; then
      not_run "the sources compiled by $compiler (apt install $compiler)"
      continue
    fi
    for level in -O0 -O2; do
      echo "  sources compiled by $compiler $level -fsanitize=undefined:"
      rm -f "$work/tests.exe"
      # shellcheck disable=SC2086
      "$compiler" $flags $level -o "$work/tests.exe" tests*.c picollo_native.c picollo_jitter.c || :
      run
    done
  done
}

test_platform() {
  rid=$1 library=$(library_for "$1")
  echo "$library"
  libraries=$((libraries + 1))
  case $rid in
    linux-*) inspect_elf "$library" ;;
    win-*) inspect_pe "$library" ;;
  esac
  compiler=$(compiler_for "$rid") || { not_run "tests.c, because the compiler is missing"; return; }

  case $rid in
    "$(host_rid)")
      link "$compiler" "$library" -Wl,-rpath,"$work" || :
      run
      case $rid in linux-*) test_musl "$library" && test_sources && test_spawn "$rid" "$(compiler_for "$rid")" ;; esac ;;
    linux-arm64)
      has qemu-aarch64 || { not_run "tests.c (apt install qemu-user libc6-dev-arm64-cross)"; return; }
      link "$compiler" "$library" -Wl,-rpath,"$work" || { not_run "tests.c (apt install libc6-dev-arm64-cross)"; return; }
      run qemu-aarch64 -L /usr/aarch64-linux-gnu
      test_spawn "$rid" "$(compiler_for "$(host_rid)")" "$(command -v qemu-aarch64)" ;;
    win-x64)
      has wine || { not_run "tests.c (apt install wine wine64)"; return; }
      link "$compiler" "$library" || :
      WINEDEBUG=-all run wine ;;
    *) not_run "tests.c; this machine is $(host_rid)" ;;
  esac
}

for rid in $RIDS; do
  if [ -f "$(library_for "$rid")" ]; then test_platform "$rid"; fi
done

[ "$libraries" -gt 0 ] || fail "no library is built; run native/build.sh to build the one for this machine"
echo "native: libraries tested: $libraries, failures: $failures"
[ "$failures" = 0 ]
