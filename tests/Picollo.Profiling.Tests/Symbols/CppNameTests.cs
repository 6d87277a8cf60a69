using Picollo.Profiling.Symbols;

namespace Picollo.Profiling.Tests.Symbols;

public class CppNameTests
{
    [Theory]
    [InlineData("main", "main")]
    [InlineData("_Z3fooi", "foo")]
    [InlineData("_ZL3foov", "foo")]
    [InlineData("_ZN3foo3barEi", "foo::bar")]
    [InlineData("_ZNK3foo3barEv", "foo::bar")]
    [InlineData("_ZN3fooL3barEv.constprop.0", "foo::bar")]
    [InlineData("_ZN3fooC1Ev", "foo::foo")]
    [InlineData("_ZN3fooD0Ev", "foo::~foo")]
    [InlineData("_ZNSt6thread4joinEv", "std::thread::join")]
    [InlineData("_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo")]
    public void Simple_names_are_demangled(string symbol, string name) => CppName.Of(symbol).Should().Be(name);

    [Theory]
    [InlineData("_Z")]
    [InlineData("_ZN")]
    [InlineData("_ZNE")]
    [InlineData("_Z9foo")]
    [InlineData("_ZN3foo")]
    [InlineData("_ZN3foo3bar")]
    [InlineData("_ZN3foo99999999999999999999barE")]
    [InlineData("_Z3fooIiEvT_")]
    [InlineData("_ZN3fooIiE3barEv")]
    [InlineData("_Z3fooB5cxx11v")]
    [InlineData("_ZN3foo3barB5cxx11Ev")]
    [InlineData("_ZZN3foo3barEvE1x")]
    [InlineData("_ZN3fooplERKS_")]
    [InlineData("_ZN3fooCI13barEi")]
    [InlineData("_ZN4fooéEv")]
    public void Other_names_are_unchanged(string symbol) => CppName.Of(symbol).Should().Be(symbol);

    [FactNeeding(Need.Readelf)]
    [Trait("Category", "Slow")]
    public void Names_of_the_standard_library_match_cxxfilt()
    {
        // The runtime is written in C++.
        string library = File.ReadLines("/proc/self/maps").Select(line => line.Split(' ')[^1]).First(path => path.Contains("/libstdc++.so", StringComparison.Ordinal));
        string[] symbols = [.. Tool.Run("readelf", "/", new Dictionary<string, string?>(), "--dyn-syms", "-W", library)
            .Split('\n').Where(line => line.Contains(" FUNC ", StringComparison.Ordinal)).Select(line => line.Split(' ')[^1].Split('@')[0])
            .Where(symbol => CppName.Of(symbol) != symbol).Distinct()];

        // Its output has a line per argument.
        string[] expected = [.. symbols.Chunk(500).SelectMany(some =>
            Tool.Run("c++filt", "/", new Dictionary<string, string?>(), ["-p", .. some]).TrimEnd().Split('\n'))];

        symbols.Should().HaveCountGreaterThan(100);
        symbols.Select(CppName.Of).Should().Equal(expected);
    }
}
