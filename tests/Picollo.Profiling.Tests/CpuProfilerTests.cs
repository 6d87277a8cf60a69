using System.Diagnostics;
using System.Globalization;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using Picollo.Cpu;
using Picollo.Interop.Linux;

namespace Picollo.Profiling.Tests;

public class CpuProfilerTests
{
    private static readonly CpuProfilerOptions Fast = new() { Frequency = 999 };
    private static ulong _sink;

    [FactNeeding(Need.PerfEvents)]
    public void The_current_process_is_profiled_with_names()
    {
        using CpuProfiler profiler = CpuProfiler.Start(Fast);
        Burn(milliseconds: 300);
        CpuProfile profile = profiler.Stop();

        profile.GetMethods().Should().Contain(method =>
            method.Frame == new CpuProfileFrame(
                "Picollo.Profiling.Tests.CpuProfilerTests.Burn", "Picollo.Profiling.Tests.dll", CpuProfileFrameKind.Managed)
            && method.Value >= 100);
        (profile.Frequency, profile.IncludesKernel).Should().Be((999, false));
        profile.SampleCount.Should().BeGreaterThanOrEqualTo(200);
        profile.Notes.Should().BeEmpty();
        profile.CpuUsage!.Value.Total.Should().BePositive();
        profiler.Stop().Should().BeSameAs(profile);
    }

    [FactNeeding(Need.PerfEvents)]
    public void Two_profilers_of_this_process_both_have_names_of_later_methods()
    {
        using CpuProfiler first = CpuProfiler.Start(Fast);
        using CpuProfiler second = CpuProfiler.Start(Fast);
        first.Stop();
        var method = new DynamicMethod("CompiledLater", typeof(ulong), [typeof(ulong)]);
        ILGenerator code = method.GetILGenerator();
        Label again = code.DefineLabel();
        code.DeclareLocal(typeof(ulong));
        code.MarkLabel(again);
        code.Emit(OpCodes.Ldloc_0);
        code.Emit(OpCodes.Ldc_I4_1);
        code.Emit(OpCodes.Conv_I8);
        code.Emit(OpCodes.Add);
        code.Emit(OpCodes.Stloc_0);
        code.Emit(OpCodes.Ldloc_0);
        code.Emit(OpCodes.Ldarg_0);
        code.Emit(OpCodes.Blt_Un, again);
        code.Emit(OpCodes.Ldloc_0);
        code.Emit(OpCodes.Ret);
        var count = method.CreateDelegate<Func<ulong, ulong>>();
        while (second.SampleCount < 200)
        {
            count(100_000_000);
        }

        CpuProfile profile = second.Stop();

        profile.GetMethods().Should().Contain(each => each.Frame.Name.EndsWith("CompiledLater", StringComparison.Ordinal) && each.OwnValue > 50);
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_thread_that_waits_has_no_samples()
    {
        using ProfiledProcess process = ProfiledProcess.Start("profiled-threads");

        CpuProfile profile = process.Profile(Fast, 300);

        process.End();
        profile.GetMethods().Should().Contain(method => method.Frame.Name.EndsWith("Profiled.Sixty", StringComparison.Ordinal) && method.OwnValue > 250);
        profile.GetMethods().Should().NotContain(method => method.Frame.Name.EndsWith("Profiled.Waiting", StringComparison.Ordinal));
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_stack_that_exceeds_the_limit_of_the_kernel_is_marked()
    {
        using ProfiledProcess process = ProfiledProcess.Start("profiled-deep");

        CpuProfile profile = process.Profile(Fast, 1000);

        process.End();
        CpuProfileNode cut = profile.Root.Children.Should().ContainSingle(node => node.Frame.Name == "[deeper callers]").Subject;
        cut.Frame.Kind.Should().Be(CpuProfileFrameKind.Group);
        cut.Children.Should().Contain(node => node.Frame.Name.EndsWith("Profiled.Deep", StringComparison.Ordinal) && node.Value > 200);
    }

    [FactNeeding(Need.PerfEvents)]
    public void Unloaded_code_has_names()
    {
        using ProfiledProcess process = ProfiledProcess.Start("profiled-unloaded");
        using CpuProfiler profiler = CpuProfiler.Start(new CpuProfilerOptions { Frequency = 999, ProcessId = process.Id });
        process.Continue();
        Wait(profiler, 1000);
        CpuProfile profile = profiler.Stop();

        process.End();
        // Unloaded methods without names would be stubs.
        long stubs = profile.GetMethods().Where(method => method.Frame.Name == "[runtime stub]").Sum(method => method.OwnValue);
        profile.GetMethods().Should().Contain(method => method.Frame.Name.EndsWith("UnloadedCode.Work", StringComparison.Ordinal) && method.OwnValue > stubs);
        profile.GetMethods().Should().Contain(method => method.Frame.Name.EndsWith("DynamicWork", StringComparison.Ordinal));
        profile.ShouldHaveNamesOutsideLibraries();
    }

    [FactNeeding(Need.PerfEvents)]
    public void Functions_that_read_the_clock_have_names()
    {
        using CpuProfiler profiler = CpuProfiler.Start(Fast);
        while (profiler.SampleCount < 300)
        {
            for (int i = 0; i < 10_000; i++)
            {
                _sink += (ulong)Stopwatch.GetTimestamp();
            }
        }

        CpuProfile profile = profiler.Stop();

        profile.GetMethods().Should().Contain(method => method.Frame.Module == "[vdso]" && method.Frame.Name.EndsWith("_clock_gettime", StringComparison.Ordinal));
        profile.ShouldHaveNamesOutsideLibraries();
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_method_whose_code_is_replaced_on_the_stack_is_one_function()
    {
        using ProfiledProcess process = ProfiledProcess.Start("profiled-replaced", new() { ["DOTNET_TieredCompilation"] = "1" });

        CpuProfile profile = process.Profile(new CpuProfilerOptions { Frequency = 999, ShowTiers = true }, 300);

        process.End();
        const string Method = "Picollo.HelperApp.Profiled.RunReplaced.lambda_0 ";
        profile.GetMethods().Should().Contain(method => method.Frame.Name.StartsWith(Method, StringComparison.Ordinal)
            && method.Frame.Name.EndsWith("OSR]", StringComparison.Ordinal) && method.OwnValue > 200);
        profile.Data.GetNodes().Should().NotContain(each => each.Node.Frame.Name.StartsWith(Method, StringComparison.Ordinal)
            && each.Node.Children.Any(child => child.Frame.Name.StartsWith(Method, StringComparison.Ordinal)));
    }

    [FactNeeding(Need.PerfEvents)]
    public void The_profile_of_an_ended_process_has_names()
    {
        using ProfiledProcess process = ProfiledProcess.Start("profiled");
        using CpuProfiler profiler = CpuProfiler.Start(new CpuProfilerOptions { Frequency = 999, ProcessId = process.Id });
        Wait(profiler, 300);
        process.End();

        CpuProfile profile = profiler.Stop();

        profile.SampleCount.Should().BeGreaterThanOrEqualTo(300);
        profile.CpuUsage!.Value.Total.Should().BePositive();
        profile.GetMethods().Should().Contain(method => method.Frame.Name.EndsWith("Profiled.Sixty", StringComparison.Ordinal));
    }

    [FactNeeding(Need.PerfEvents)]
    public void Children_of_a_process_are_not_in_its_profile()
    {
        using ProfiledProcess process = ProfiledProcess.Start("profiled-forked");

        CpuProfile profile = process.Profile(Fast, 800);

        process.End();
        profile.GetMethods().Should().NotContain(method => method.Frame.Name.EndsWith("Profiled.RunFor", StringComparison.Ordinal));
        profile.Root.Children.Should().NotContain(node => node.Frame.Kind == CpuProfileFrameKind.Group);
    }

    [FactNeeding(Need.PerfEvents)]
    public void The_samples_of_programs_before_and_after_exec_are_separate()
    {
        using ProfiledProcess process = ProfiledProcess.Start("profiled-exec");
        using CpuProfiler profiler = CpuProfiler.Start(new CpuProfilerOptions { Frequency = 999, ProcessId = process.Id });
        process.Continue();
        Wait(profiler, 300);
        CpuProfile profile = profiler.Stop();

        profile.SampleCount.Should().BeGreaterThanOrEqualTo(300);
        CpuProfileNode executed = profile.Root.Children.Should().ContainSingle(
            node => node.Frame.Name.EndsWith($" (process {process.Id}, after execve)", StringComparison.Ordinal)).Subject;
        executed.Value.Should().BePositive();
        NamesIn(executed).Should().NotContain(
            name => name.StartsWith("Picollo.", StringComparison.Ordinal), "the map belongs to the first program");
        profile.Notes.Should().Contain(note => note.StartsWith("Compiled methods of ", StringComparison.Ordinal) && note.EndsWith("and there is none.", StringComparison.Ordinal));
        process.WaitForExit();

        static IEnumerable<string> NamesIn(CpuProfileNode node) => node.Children.SelectMany(NamesIn).Prepend(node.Frame.Name);
    }

    [FactNeeding(Need.PerfEvents)]
    public void Without_diagnostics_a_note_explains_the_missing_names()
    {
        using ProfiledProcess process = ProfiledProcess.Start("profiled-deep", new() { ["DOTNET_EnableDiagnostics"] = "0" });

        CpuProfile profile = process.Profile(Fast, 100);

        process.End();
        profile.Notes.Should().ContainSingle().Which.Should().Be(
            "JIT-compiled methods have no names: the process was started with DOTNET_EnableDiagnostics=0; start it without "
            + "this setting, or profile it as a command (picollo record -- CMD).");
        profile.UnnamedValue.Should().BePositive();
    }

    [FactNeeding(Need.PerfEvents)]
    public void An_existing_perf_map_is_kept()
    {
        using ProfiledProcess process = ProfiledProcess.Start("profiled", new() { ["DOTNET_PerfMapEnabled"] = "1" });
        string map = $"/tmp/perf-{process.Id}.map";
        long before = new FileInfo(map).Length;

        CpuProfile profile = process.Profile(Fast, 200);

        new FileInfo(map).Length.Should().BeGreaterThanOrEqualTo(before);
        Directory.EnumerateFiles($"/proc/{process.Id}/fd").Select(file => new FileInfo(file).LinkTarget)
            .Should().Contain(map, "the runtime still writes the map that its environment requested");
        process.End();
        profile.GetMethods().Should().Contain(method => method.Frame.Name.EndsWith("Profiled.Sixty", StringComparison.Ordinal));
        File.Delete(map);
        File.Delete($"/tmp/perfinfo-{process.Id}.map");
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_stopped_process_has_no_names_and_writes_no_map_later()
    {
        using ProfiledProcess process = ProfiledProcess.Start("profiled-deep");
        process.Signal("STOP");
        while (!File.ReadAllText($"/proc/{process.Id}/stat").Contains(") T ", StringComparison.Ordinal))
        {
            Thread.Sleep(10);
        }

        using CpuProfiler profiler = CpuProfiler.Start(new CpuProfilerOptions { Frequency = 999, ProcessId = process.Id });
        process.Signal("CONT");
        Wait(profiler, 100);
        CpuProfile profile = profiler.Stop();

        process.End();
        profile.Notes.Should().Contain($"JIT-compiled methods have no names: the process is stopped and cannot list them; continue it (kill -CONT {process.Id}).");
        File.Exists($"/tmp/perf-{process.Id}.map").Should().BeFalse();
    }

    [FactNeeding(Need.PerfEvents)]
    public void Two_profilers_of_a_process_both_have_names_and_leave_no_map()
    {
        using ProfiledProcess process = ProfiledProcess.Start("profiled-deep");
        using CpuProfiler first = CpuProfiler.Start(new CpuProfilerOptions { Frequency = 999, ProcessId = process.Id });
        File.Exists($"/tmp/perf-{process.Id}.map").Should().BeFalse("it is unlinked during the profile");
        using CpuProfiler second = CpuProfiler.Start(new CpuProfilerOptions { Frequency = 999, ProcessId = process.Id });
        Wait(first, 100);
        Wait(second, 100);

        foreach (CpuProfile profile in (CpuProfile[])[second.Stop(), first.Stop()])
        {
            profile.Notes.Should().BeEmpty();
            profile.GetMethods().Should().Contain(method => method.Frame.Name.EndsWith("Profiled.Sixty", StringComparison.Ordinal));
        }

        process.End();
        File.Exists($"/tmp/perf-{process.Id}.map").Should().BeFalse();
    }

    [FactNeeding(Need.PerfEvents)]
    public void Tiers_are_separate_functions_on_request()
    {
        using CpuProfiler profiler = CpuProfiler.Start(new CpuProfilerOptions { Frequency = 999, ShowTiers = true });
        Burn(milliseconds: 100);

        profiler.Stop().GetMethods().Should().Contain(method =>
            method.Frame.Name.StartsWith("Picollo.Profiling.Tests.CpuProfilerTests.Burn [", StringComparison.Ordinal));
    }

    [FactNeeding(Need.KernelCounters)]
    public void Kernel_code_is_sampled_on_request()
    {
        using CpuProfiler profiler = CpuProfiler.Start(new CpuProfilerOptions { Frequency = 999, IncludeKernel = true });
        byte[] buffer = new byte[1 << 20];
        using FileStream zeros = File.OpenRead("/dev/zero");
        while (profiler.SampleCount < 200)
        {
            zeros.ReadExactly(buffer);
        }

        CpuProfile profile = profiler.Stop();

        profile.IncludesKernel.Should().BeTrue();
        profile.GetMethods().Where(method => method.Frame.Kind == CpuProfileFrameKind.Kernel).Sum(method => method.OwnValue)
            .Should().BeGreaterThan(50);
    }

    [FactNeeding(Need.PerfEvents)]
    public void No_resources_remain_after_a_profile()
    {
        int[] before = Left();

        for (int i = 0; i < 3; i++)
        {
            using CpuProfiler stopped = CpuProfiler.Start(Fast);
            stopped.Stop();
            using CpuProfiler disposed = CpuProfiler.Start(Fast);
            using CpuProfiler atTheSameTime = CpuProfiler.Start(Fast);
        }

        SpinWait.SpinUntil(() => Left().SequenceEqual(before), TimeSpan.FromSeconds(30)); // the system removes a thread some time after its join
        Left().Should().Equal(before, "descriptors of events, mappings of rings, threads and maps");

        static int[] Left() =>
        [
            Directory.EnumerateFiles("/proc/self/fd").Count(file => new FileInfo(file).LinkTarget is { } target
                && (target.Contains("perf_event", StringComparison.Ordinal) || target.Contains("/perf-", StringComparison.Ordinal))),
            File.ReadLines("/proc/self/maps").Count(line => line.Contains("perf_event", StringComparison.Ordinal)),
            Directory.EnumerateDirectories("/proc/self/task").Count(thread =>
                NameOf(thread).StartsWith("Picollo profile", StringComparison.Ordinal)),
            Directory.EnumerateFiles("/tmp", $"perf-{Environment.ProcessId}.map").Count(),
        ];

        static string NameOf(string thread)
        {
            try
            {
                return File.ReadAllText(Path.Combine(thread, "comm"));
            }
            catch (IOException)
            {
                return ""; // the process has exited since it was listed
            }
        }
    }

    [Fact]
    public void A_disposed_profiler_has_no_profile()
    {
        if (!CpuProfiler.TryStart(null, out CpuProfiler? profiler, out MeasurementUnavailableException? failure))
        {
            failure.Message.Should().NotBeEmpty();
            return;
        }

        profiler.Dispose();
        profiler.Dispose();

        profiler.Invoking(it => it.Stop()).Should().Throw<ObjectDisposedException>();
    }

    [FactNeeding(Need.Linux)]
    public void A_process_that_does_not_exist_is_reported()
    {
        CpuProfiler.TryStart(new CpuProfilerOptions { ProcessId = int.MaxValue }, out CpuProfiler? profiler, out MeasurementUnavailableException? failure).Should().BeFalse();

        profiler.Should().BeNull();
        failure!.Message.Should().Be($"There is no process {int.MaxValue}; it may have exited.");
        FluentActions.Invoking(() => CpuProfiler.Start(new CpuProfilerOptions { ProcessId = int.MaxValue }))
            .Should().Throw<MeasurementUnavailableException>().Which.ErrorNumber.Should().Be(Errno.ESRCH);
    }

    [FactNeeding(Need.Linux)]
    public void A_thread_is_not_mistaken_for_a_process()
    {
        int process = Environment.ProcessId;
        int thread = Directory.EnumerateDirectories($"/proc/{process}/task").Select(path => int.Parse(Path.GetFileName(path), CultureInfo.InvariantCulture))
            .First(id => id != process);

        CpuProfiler.TryStart(new CpuProfilerOptions { ProcessId = thread }, out _, out MeasurementUnavailableException? failure).Should().BeFalse();

        failure!.Message.Should().Be($"{thread} is a thread of process {process}. Profile that process instead.");
    }

    [FactNeeding(Need.Linux)]
    public void Later_changes_of_the_options_have_no_effect()
    {
        CpuProfilerOptions options = new() { Frequency = 999 };
        using CpuProfiler profiler = CpuProfiler.Start(options);
        options.Frequency = 1;

        profiler.Stop().Frequency.Should().Be(999);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(10_001)]
    public void A_frequency_out_of_range_is_rejected(int frequency) =>
        FluentActions.Invoking(() => new CpuProfilerOptions { Frequency = frequency }).Should().Throw<ArgumentOutOfRangeException>()
            .WithParameterName("Frequency");

    [Fact]
    public void A_process_ID_out_of_range_is_rejected() =>
        FluentActions.Invoking(() => new CpuProfilerOptions { ProcessId = 0 }).Should().Throw<ArgumentOutOfRangeException>()
            .WithParameterName("ProcessId");

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Burn(int milliseconds)
    {
        long end = CpuUsageReader.GetThreadTimeNanoseconds() + (milliseconds * 1_000_000L);
        while (CpuUsageReader.GetThreadTimeNanoseconds() < end)
        {
            for (int i = 0; i < 100_000; i++)
            {
                _sink = (_sink * 6364136223846793005) + (ulong)i;
            }
        }
    }

    private static void Wait(CpuProfiler profiler, long samples)
    {
        while (profiler.SampleCount < samples)
        {
            Thread.Sleep(20);
        }
    }
}
