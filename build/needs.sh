# Dependencies of the commands other than the SDK. Sourced by build.sh.
# shellcheck shell=bash

has() { command -v "$1" >/dev/null 2>&1; }

compiles_with() { has "$1" && printf '#include <stdio.h>\n' | "$1" -E - >/dev/null 2>&1; }

host_rid() {
  local arch
  case $(uname -m) in aarch64 | arm64) arch=arm64 ;; *) arch=x64 ;; esac
  case $(uname -s) in
    Linux) echo "linux-$arch" ;;
    Darwin) echo "osx-$arch" ;;
    *) echo "win-$arch" ;;
  esac
}

# A need has a name, a check, the Debian packages that provide it, and a description of what is skipped without it.
# The compiler for the current platform is the system compiler.
is_met() {
  case $1 in
    c-win-x64) compiles_with x86_64-w64-mingw32-gcc ;;
    "c-$(host_rid)") compiles_with gcc || compiles_with cc ;;
    c-linux-x64) compiles_with x86_64-linux-gnu-gcc ;;
    c-linux-arm64) compiles_with aarch64-linux-gnu-gcc ;;
    "run-$(host_rid)") true ;;
    run-linux-arm64) has qemu-aarch64 ;;
    run-win-x64) has wine ;;
    run-musl) has musl-gcc ;;
    run-kernels) has qemu-system-aarch64 && has qemu-system-x86_64 ;;
    chromium) has chromium || has chromium-browser || has google-chrome ;;
    prometheus) has prometheus && has promtool ;;
    pprof) has go ;;
    nginx) [ -x /usr/sbin/nginx ] ;;
    openmetrics) /usr/bin/python3 -c 'import prometheus_client.openmetrics.parser' 2>/dev/null ;;
    java) has javac && has java && [ -f /usr/share/java/hdrhistogram.jar ] ;;
    run-wrk) has wrk ;;
    jitter-meters) has jitterdebugger && has cyclictest && has stress-ng ;;
    terminal) has tmux ;;
    archives) has unzip ;;
    symbols) has readelf ;;
    system-tools) has top && has mpstat && has pidstat && has taskset ;;
    # Other systems include cultures.
    cultures) [ "$(uname -s)" != Linux ] || [ -n "$(find /usr/lib* -name 'libicuuc.so*' 2>/dev/null | head -n 1)" ] ;;
    *) die "unknown need: $1" ;;
  esac
}

packages_for() {
  case $1 in
    c-win-x64) echo gcc-mingw-w64-x86-64 ;;
    "c-$(host_rid)") echo gcc libc6-dev ;;
    c-linux-x64) echo gcc-x86-64-linux-gnu libc6-dev-amd64-cross ;;
    c-linux-arm64) echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross ;;
    run-linux-arm64) echo qemu-user ;;
    run-win-x64) echo wine wine64 ;;
    run-musl) echo musl musl-tools ;;
    run-kernels) echo qemu-system-arm qemu-system-x86 qemu-system-data seabios ipxe-qemu ;;
    chromium) echo chromium ;;
    java) echo default-jdk-headless libhdrhistogram-java ;;
    prometheus) echo prometheus ;;
    openmetrics) echo python3-prometheus-client ;;
    pprof) echo golang-go ;;
    nginx) echo nginx ;;
    run-wrk) echo wrk ;;
    jitter-meters) echo jitterdebugger rt-tests stress-ng ;;
    terminal) echo tmux ;;
    archives) echo unzip ;;
    symbols) echo binutils ;;
    system-tools) echo procps sysstat util-linux ;;
    # The package name contains the version.
    cultures) { apt-cache pkgnames libicu 2>/dev/null || true; } | grep -E '^libicu[0-9]+$' | sort -V | tail -n 1 | grep . || echo libicu72 ;;
  esac
}

skipped_without() {
  case $1 in
    "c-$(host_rid)") echo "the tests that compile C, and the tests of Native AOT" ;;
    c-linux-arm64) echo "the arm64 library and its tests" ;;
    run-linux-arm64) echo "the tests of the arm64 library" ;;
    c-win-x64) echo "the Windows library and its tests" ;;
    run-win-x64) echo "the tests under Wine" ;;
    run-musl) echo "the tests of the native library under musl" ;;
    run-kernels) echo "the tests on emulated kernels" ;;
    system-tools) echo "the comparison with top, mpstat and pidstat" ;;
    terminal) echo "the tests of the live views in a terminal" ;;
    archives) echo "the tests of the release script" ;;
    symbols) echo "the comparison of native function names with readelf" ;;
    chromium) echo "the tests of plots, reports and pages in a browser" ;;
    java) echo "the tests against the HdrHistogram library for Java" ;;
    prometheus) echo "the tests with Prometheus" ;;
    openmetrics) echo "the tests with the reference parser of OpenMetrics" ;;
    pprof) echo "the tests with go tool pprof" ;;
    nginx) echo "the tests behind nginx" ;;
    cultures) echo "the tests in other cultures" ;;
  esac
}

# Optional dependencies of the tests.
test_needs() {
  echo c-linux-arm64 run-linux-arm64 c-win-x64 run-win-x64
  if [ "$(host_rid)" = linux-x64 ]; then echo c-linux-x64 run-musl run-kernels; fi
  if [ "$(uname -s)" = Linux ]; then echo system-tools terminal archives symbols; fi
  echo chromium openmetrics pprof cultures
}

# Optional dependencies of the long tests.
long_needs() { echo java prometheus nginx; }

# Installs packages with a policy that prevents services in them from starting, because only the programs are needed.
apt_install() {
  local policy=/usr/sbin/policy-rc.d own='' code=0 service
  if [ ! -e "$policy" ]; then
    own=$policy
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
  fi
  DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@" || code=$?
  [ -z "$own" ] || rm -f "$own"
  for service in prometheus nginx; do
    case " $* " in *" $service "*) ! has systemctl || systemctl -q disable "$service.service" 2>/dev/null || true ;; esac
  done
  return "$code"
}

packages_lacking() {
  local need
  for need in "$@"; do is_met "$need" || packages_for "$need"; done
}

# The missing packages for the specified needs, if this user can install them.
packages_to_install() {
  [ -z "$NO_INSTALL" ] && [ "$(id -u)" = 0 ] && has apt-get || return 0
  packages_lacking "$@" | paste -sd' ' -
}

# Installs the missing packages for the specified needs, if possible, and says what it installs.
install_for() {
  local packages
  packages=$(packages_to_install "$@")
  [ -z "$packages" ] || say "installing $packages"
  install_silently "$@"
}

install_silently() {
  local packages need
  packages=$(packages_to_install "$@")
  [ -n "$packages" ] || return 0
  # Update the package lists only if the current ones are not sufficient. Word splitting is intended.
  # shellcheck disable=SC2086
  apt_install $packages >/dev/null 2>&1 && return
  apt-get -qq -o DPkg::Lock::Timeout=300 update || true
  # Install one by one, so that a package that this system lacks does not prevent the others from being installed.
  for need in "$@"; do
    # shellcheck disable=SC2046
    is_met "$need" || apt_install $(packages_for "$need") >/dev/null || true
  done
}

require() {
  local lacking
  install_for "$@"
  lacking=$(packages_lacking "$@" | paste -sd' ' -)
  [ -z "$lacking" ] || die "missing packages; install them first (Debian names): $lacking"
}
