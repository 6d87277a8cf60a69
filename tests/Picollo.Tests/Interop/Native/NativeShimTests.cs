using System.Runtime.InteropServices;
using Picollo.Interop.Native;

namespace Picollo.Tests.Interop;

/// <summary>Tests all cases of a missing or wrong native library.</summary>
public unsafe class NativeShimTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Performance_counters_do_not_need_an_invariant_counter(bool isInvariant)
    {
        NativeShim shim = NativeShim.Load(isInvariant ? new Libraries() : new Libraries { HasInvariantCounter = &No });

        (shim.UnavailableReason is null).Should().Be(isInvariant);
        ((nint)shim.ReadCounter).Should().Be(isInvariant ? 42 : 0);
        ((nint)shim.ReadPerfCounters).Should().Be(43);
        ((nint)shim.ReadPerfCounts).Should().Be(47);
        ((nint)shim.ReadThreadTime).Should().Be(44);
        ((nint)shim.CountPmuCounters).Should().Be(45);
        ((nint)shim.RunJitter).Should().Be(46);
    }

    [Fact]
    public void A_missing_library_is_reported_with_the_searched_paths() => ReasonFor(new Libraries { IsThere = false })
        .Should().Contain("was not found").And.Contain("tried: here, there").And.Contain(RuntimeInformation.RuntimeIdentifier);

    [Fact]
    public void A_library_of_another_version_is_rejected() => ReasonFor(new Libraries { AbiVersion = &OtherVersion })
        .Should().Contain("has version 4").And.Contain("version 3 is required").And.Contain("at this place");

    [Fact]
    public void The_version_of_a_library_is_checked_before_its_functions() =>
        ReasonFor(new Libraries { AbiVersion = &OtherVersion, Missing = "picollo_read_counter" }).Should().Contain("has version 4");

    [Theory]
    [InlineData("picollo_abi_version")]
    [InlineData("picollo_has_invariant_counter")]
    [InlineData("picollo_read_counter")]
    [InlineData("picollo_perf_read")]
    [InlineData("picollo_perf_read_counts")]
    [InlineData("picollo_perf_thread_time")]
    [InlineData("picollo_pmu_counters")]
    [InlineData("picollo_jitter_run")]
    public void A_library_that_lacks_a_function_is_rejected(string function) =>
        ReasonFor(new Libraries { Missing = function }).Should().Contain($"no function {function}");

    [Fact]
    public void A_counter_that_is_not_invariant_is_rejected() =>
        ReasonFor(new Libraries { HasInvariantCounter = &No }).Should().Contain("invariant TSC").And.Contain("hypervisor");

    [Fact]
    public void The_system_loader_reports_the_searched_paths()
    {
        var libraries = new SystemNativeLibraries();

        libraries.TryLoad("picollo_no_such_library", out nint library, out string where, out bool exists).Should().BeFalse();

        library.Should().Be(0);
        exists.Should().BeFalse();
        where.Should().Contain(AppContext.BaseDirectory).And.Contain("runtimes").And.Contain("picollo_no_such_library");
        where.Split(", ").Should().OnlyHaveUniqueItems();
    }

    [Fact]
    public void A_library_that_cannot_be_loaded_is_tried_again()
    {
        var libraries = new Libraries { IsLoadable = false };
        ReasonFor(libraries).Should().Contain("at this place").And.Contain("ulimit -n");
        NativeShim? known = null;
        ((nint)NativeShim.Find(libraries, ref known).ReadPerfCounters).Should().Be(0);
        known.Should().BeNull("the process may close files meanwhile");
        libraries.IsLoadable = true;
        ((nint)NativeShim.Find(libraries, ref known).ReadPerfCounters).Should().Be(43);
        known.Should().NotBeNull();
    }

    [Fact]
    public void A_missing_library_is_searched_for_once()
    {
        NativeShim? known = null;
        NativeShim shim = NativeShim.Find(new Libraries { IsThere = false }, ref known);
        known.Should().BeSameAs(shim);
    }

    private static string ReasonFor(Libraries libraries)
    {
        NativeShim shim = NativeShim.Load(libraries);

        ((nint)shim.ReadCounter).Should().Be(0);
        shim.UnavailableReason.Should().Contain("Stopwatch is used instead");
        return shim.UnavailableReason!;
    }

    [UnmanagedCallersOnly]
    private static int Version() => NativeShim.AbiVersion;

    [UnmanagedCallersOnly]
    private static int OtherVersion() => NativeShim.AbiVersion + 1;

    [UnmanagedCallersOnly]
    private static int Yes() => 1;

    [UnmanagedCallersOnly]
    private static int No() => 0;

    /// <summary>Libraries whose functions are managed code.</summary>
    private sealed class Libraries : INativeLibraries
    {
        public bool IsThere { get; init; } = true;

        public bool IsLoadable { get; set; } = true;

        public string? Missing { get; init; }

        public delegate* unmanaged<int> AbiVersion { get; init; } = &Version;

        public delegate* unmanaged<int> HasInvariantCounter { get; init; } = &Yes;

        public bool TryLoad(string name, out nint library, out string where, out bool exists)
        {
            name.Should().Be("picollo_native");
            exists = IsThere;
            (library, where) = IsThere ? ((nint)1, "at this place") : (0, "here, there");
            return IsThere && IsLoadable;
        }

        public bool TryGetExport(nint library, string function, out nint address)
        {
            address = function == Missing ? 0 : function switch
            {
                "picollo_abi_version" => (nint)AbiVersion,
                "picollo_has_invariant_counter" => (nint)HasInvariantCounter,
                "picollo_read_counter" => 42,
                "picollo_perf_read" => 43,
                "picollo_perf_read_counts" => 47,
                "picollo_perf_thread_time" => 44,
                "picollo_pmu_counters" => 45,
                "picollo_jitter_run" => 46,
                _ => 0,
            };
            return address != 0;
        }
    }
}
