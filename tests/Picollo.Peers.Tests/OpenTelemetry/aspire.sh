#!/bin/sh
# Downloads the Aspire dashboard from NuGet into the user's cache and unpacks it without installing it. It contains its runtime. Does
# nothing if the program already exists.
set -eu
version=13.6.5
# The same folder as Needs.AspireDashboard.
cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/picollo
final=$cache/aspire-dashboard-$version
if [ -x "$final/Aspire.Dashboard" ]; then
  exit 0
fi

mkdir -p "$cache"
# The files are unpacked next to their final place and then moved, so that other clones never see an incomplete directory.
folder=$(mktemp -d "$cache/aspire-dashboard.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cat >"$folder/fetch.proj" <<PROJECT
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net10.0</TargetFramework>
    <RestorePackagesPath>$folder/packages</RestorePackagesPath>
  </PropertyGroup>
  <ItemGroup>
    <PackageDownload Include="Aspire.Dashboard.Sdk.linux-x64" Version="[$version]" />
  </ItemGroup>
</Project>
PROJECT
printf 'aspire-dashboard: fetching\n'
dotnet restore "$folder/fetch.proj" --verbosity quiet
chmod +x "$folder/packages/aspire.dashboard.sdk.linux-x64/$version/tools/Aspire.Dashboard"
rm -rf "$final"
mv "$folder/packages/aspire.dashboard.sdk.linux-x64/$version/tools" "$final"
printf 'aspire-dashboard: ready in %s\n' "$final"
