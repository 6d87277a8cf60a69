# The platforms of native/build.sh and native/test.sh. Source this file; do not run it.
# shellcheck shell=sh

RIDS="linux-x64 linux-arm64 win-x64 osx-x64 osx-arm64"

fail() {
  printf 'native: %s\n' "$*" >&2
  exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

# The platform of this machine, as .NET names it.
host_rid() {
  case $(uname -m) in aarch64 | arm64) arch=arm64 ;; *) arch=x64 ;; esac
  case $(uname -s) in
    Linux) echo "linux-$arch" ;;
    Darwin) echo "osx-$arch" ;;
    MINGW* | MSYS* | CYGWIN*) echo "win-$arch" ;;
    *) fail "unknown system $(uname -s); supported: $RIDS" ;;
  esac
}

# The path of the library, relative to native/.
library_for() {
  case $1 in
    linux-x64 | linux-arm64) echo "out/$1/libpicollo_native.so" ;;
    win-x64) echo "out/$1/picollo_native.dll" ;;
    osx-x64 | osx-arm64) echo "out/$1/libpicollo_native.dylib" ;;
    *) fail "unknown platform '$1'; supported: $RIDS" ;;
  esac
}

# The path of picollo_spawn, on Linux.
spawn_for() { echo "out/$1/picollo_spawn"; }

# needs <remedy> <program...>: prints the first of the programs that is installed.
needs() {
  remedy=$1
  shift
  for program in "$@"; do
    if has "$program"; then
      echo "$program"
      return
    fi
  done
  fail "$1 is not installed; $remedy"
}

# The compiler for a platform. On the platform itself any C compiler works; $CC takes precedence there.
compiler_for() {
  case $1 in
    "$(host_rid)")
      case $1 in
        linux-*) needs "apt install gcc" ${CC:+"$CC"} gcc cc clang ;;
        osx-*) needs "xcode-select --install" ${CC:+"$CC"} clang ;;
        win-*) needs "install MinGW-w64" x86_64-w64-mingw32-gcc gcc ;;
      esac ;;
    linux-x64) needs "apt install gcc-x86-64-linux-gnu" x86_64-linux-gnu-gcc ;;
    linux-arm64) needs "apt install gcc-aarch64-linux-gnu" aarch64-linux-gnu-gcc ;;
    win-x64) needs "apt install gcc-mingw-w64-x86-64" x86_64-w64-mingw32-gcc ;;
    osx-*)
      [ "$(uname -s)" = Darwin ] || fail "the macOS library can be built only on macOS"
      needs "xcode-select --install" ${CC:+"$CC"} clang ;;
    *) fail "unknown platform '$1'; supported: $RIDS" ;;
  esac
}
