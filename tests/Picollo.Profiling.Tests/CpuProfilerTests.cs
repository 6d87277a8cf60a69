using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;
using Picollo.Cpu;
using Picollo.Interop.Linux;

namespace Picollo.Profiling.Tests;

/// <summary>Profiles of this process and of others. The methods of this process that use CPU time, and a quick test, are in
/// <see cref="CpuProfileTests"/>.</summary>
[Trait("Category", "Slow")]
public class CpuProfilerTests
{
    private static readonly CpuProfilerOptions Fast = new() { Frequency = 999 };

    [FactNeeding(Need.PerfEvents)]
    public void Two_profilers_of_this_process_both_have_names_of_later_methods()
    {
        using CpuProfiler first = CpuProfiler.Start(Fast);
        using CpuProfiler second = CpuProfiler.Start(Fast);
        first.Stop();
        while (second.SampleCount < 200)
        {
            CompiledLater();
        }

        CpuProfile profile = second.Stop();

        profile.GetMethods().Should()
            .Contain(each => each.Frame.Name.EndsWith("CompiledLater", StringComparison.Ordinal) && each.Value > 50);
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_thread_that_waits_has_no_samples_and_flows_are_unknown_and_the_profile_can_be_written()
    {
        CpuProfile profile = ProfileOf("profiled-threads", Fast, 300);

        ShouldContain(profile, "Profiled.Sixty", method => method.OwnValue > 250);
        ShouldNotContain(profile, "Profiled.Waiting");
        profile.Invoking(it => it.SplitByRoute()).Should().Throw<InvalidOperationException>().WithMessage("*belongs to another process*");
        profile.Invoking(it => it.FilterBy(new CpuUsageAsyncWatcher())).Should().Throw<InvalidOperationException>();
        Profiles.Json(Profiles.Read(Profiles.Written(profile))).Should().Be(Profiles.Json(profile));
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_stack_that_exceeds_the_limit_of_the_kernel_is_marked()
    {
        CpuProfile profile = ProfileOf("profiled-deep", Fast, 1000);

        CpuProfileNode cut = profile.Root.Children.Should().ContainSingle(node => node.Frame.Name == "[deeper callers]").Subject;
        cut.Frame.Kind.Should().Be(CpuProfileFrameKind.Group);
        cut.Children.Should().Contain(node => node.Frame.Name.EndsWith("Profiled.Deep", StringComparison.Ordinal) && node.Value > 200);
    }

    [FactNeeding(Need.PerfEvents)]
    public void Unloaded_code_has_names()
    {
        using ProfiledProcess process = ProfiledProcess.Start("profiled-unloaded");
        using CpuProfiler profiler = process.StartProfiler();
        process.Continue();
        Wait(profiler, 1000);
        CpuProfile profile = profiler.Stop();

        process.End();
        // Unloaded methods without names would be stubs.
        long stubs = profile.GetMethods().Where(method => method.Frame.Name == "[runtime stub]").Sum(method => method.OwnValue);
        ShouldContain(profile, "UnloadedCode.Work", method => method.OwnValue > stubs);
        ShouldContain(profile, "DynamicWork");
        profile.ShouldHaveNamesOutsideLibraries();
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_method_whose_code_is_replaced_on_the_stack_is_one_function()
    {
        CpuProfile profile = ProfileOf(
            "profiled-replaced", new() { Frequency = 999, ShowTiers = true }, 300, new() { ["DOTNET_TieredCompilation"] = "1" });

        const string Method = "Picollo.HelperApp.Profiled.RunReplaced.lambda_0 ";
        profile.GetMethods().Should().Contain(method => method.Frame.Name.StartsWith(Method, StringComparison.Ordinal)
            && method.Frame.Name.EndsWith("OSR]", StringComparison.Ordinal) && method.OwnValue > 200);
        profile.Data.GetNodes().Should().NotContain(each => each.Node.Frame.Name.StartsWith(Method, StringComparison.Ordinal)
            && each.Node.Children.Any(child => child.Frame.Name.StartsWith(Method, StringComparison.Ordinal)));
    }

    [FactNeeding(Need.PerfEvents)]
    public void The_samples_of_programs_before_and_after_exec_are_separate()
    {
        using ProfiledProcess process = ProfiledProcess.Start("profiled-exec");
        using CpuProfiler profiler = process.StartProfiler();
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
        CpuProfile profile = ProfileOf("profiled-deep", Fast, 100, new() { ["DOTNET_EnableDiagnostics"] = "0" });

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
        ShouldContain(profile, "Profiled.Sixty");
        File.Delete(map);
        File.Delete($"/tmp/perfinfo-{process.Id}.map");
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_stopped_process_has_no_names_and_writes_no_map_later()
    {
        using ProfiledProcess process = ProfiledProcess.Start("profiled-deep");
        process.Signal("STOP");
        SpinWait.SpinUntil(() => File.ReadAllText($"/proc/{process.Id}/stat").Contains(") T ", StringComparison.Ordinal));
        using CpuProfiler profiler = process.StartProfiler();
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
        using CpuProfiler first = process.StartProfiler();
        File.Exists($"/tmp/perf-{process.Id}.map").Should().BeFalse("it is unlinked during the profile");
        using CpuProfiler second = process.StartProfiler();
        Wait(first, 100);
        Wait(second, 100);

        foreach (CpuProfile profile in (CpuProfile[])[second.Stop(), first.Stop()])
        {
            profile.Notes.Should().BeEmpty();
            ShouldContain(profile, "Profiled.Sixty");
        }

        process.End();
        File.Exists($"/tmp/perf-{process.Id}.map").Should().BeFalse();
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
            new Picollo.Cpu.ProcessThreads().Read().Count(thread => thread.Name.StartsWith("Picollo profile", StringComparison.Ordinal)),
            Directory.EnumerateFiles("/tmp", $"perf-{Environment.ProcessId}.map").Count(),
        ];
    }

    [FactNeeding(Need.Linux)]
    public void A_missing_process_and_a_thread_are_reported()
    {
        CpuProfilerOptions missing = new() { ProcessId = int.MaxValue };
        FailureOf(missing).Message.Should().Be($"There is no process {int.MaxValue}; it may have exited.");
        FluentActions.Invoking(() => CpuProfiler.Start(missing))
            .Should().Throw<MeasurementUnavailableException>().Which.ErrorNumber.Should().Be(Errno.ESRCH);

        int process = Environment.ProcessId;
        int thread = Directory.EnumerateDirectories($"/proc/{process}/task").Select(path => int.Parse(Path.GetFileName(path), CultureInfo.InvariantCulture))
            .First(id => id != process);
        FailureOf(new() { ProcessId = thread }).Message
            .Should().Be($"{thread} is a thread of process {process}. Profile that process instead.");

        static MeasurementUnavailableException FailureOf(CpuProfilerOptions options)
        {
            CpuProfiler.TryStart(options, out CpuProfiler? profiler, out MeasurementUnavailableException? failure).Should().BeFalse();
            profiler.Should().BeNull();
            return failure!;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CompiledLater() => CpuUtils.AddChain256(100_000);

    private static CpuProfile ProfileOf(
        string command, CpuProfilerOptions options, long samples, Dictionary<string, string>? environment = null)
    {
        using ProfiledProcess process = ProfiledProcess.Start(command, environment);
        CpuProfile profile = process.Profile(options, samples);
        process.End();
        return profile;
    }

    private static void ShouldContain(CpuProfile profile, string name, Predicate<CpuProfileMethod>? condition = null) =>
        profile.GetMethods()
        .Should().Contain(method => method.Frame.Name.EndsWith(name, StringComparison.Ordinal) && (condition == null || condition(method)));

    private static void ShouldNotContain(CpuProfile profile, string name) =>
        profile.GetMethods().Should().NotContain(method => method.Frame.Name.EndsWith(name, StringComparison.Ordinal));

    private static void Wait(CpuProfiler profiler, long samples) => SpinWait.SpinUntil(() => profiler.SampleCount >= samples);
}
