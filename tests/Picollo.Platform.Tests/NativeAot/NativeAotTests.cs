using Xunit.Abstractions;

namespace Picollo.Platform.Tests.NativeAot;

/// <summary>Tests, in a program without a JIT compiler, all packages that applications reference.</summary>
[Trait("Category", "Long")]
public sealed class NativeAotTests(NativeAotFixture program, ITestOutputHelper log) : IClassFixture<NativeAotFixture>
{
    [FactNeeding(Need.NativeAot)]
    public void The_program_is_one_file_and_the_native_library()
    {
        program.Output["dynamic-code"].Should().Be("False");
        Directory.GetFiles(Path.GetDirectoryName(program.Program)!).Select(Path.GetFileName)
            .Should().BeEquivalentTo("AotApp", "libpicollo_native.so");
        log.WriteLine($"{new FileInfo(program.Program).Length:N0} bytes, with symbols");
    }

    [FactNeeding(Need.NativeAot)]
    public void Histograms_are_recorded_read_and_written()
    {
        program.Output["cycle-counter"].Should().Be(ThisMachine.HasInvariantCounter.ToString(), program.Output["cycle-clock-status"]);
        ShouldPrint("p99", "990 990 990 990 990 990");
        ShouldPrint("json-summary", "990");
        ShouldPrint("json-snapshot", "990");
        ShouldPrint("encoded", "1000");
        ShouldPrint("logged", "1000");
        ShouldBeTrue("distribution", "prometheus-Text", "prometheus-OpenMetrics", "prometheus-Protobuf", "report");
        program.Output.ShouldHaveTheTablesOfTheSample();
    }

    [FactNeeding(Need.NativeAot)]
    public void Cpu_time_of_threads_flows_spans_commands_and_the_machine_is_measured()
    {
        ShouldBeTrue("thread", "process", "machine", "watcher", "span", "jitter");
        ShouldPrint("command", "3");
        ShouldPrint("command-limit", "");
    }

    [FactNeeding(Need.NativeAot)]
    public void The_runtime_and_meters_are_measured()
    {
        ShouldPrint("runtime-unavailable", "");
        ShouldBeTrue("pause-was-induced", "collections");
        ShouldPrint("meters", """
            bytes{country="de"}:1 bytes{country="fr"}:1 seconds{country="de",status="200"}:1 seconds{country="fr",status="200"}:1
            """);
    }

    [FactNeeding(Need.NativeAot)]
    public void A_pool_runs_tasks_and_names_them()
    {
        program.Output.ShouldShowThatThePoolWorks();
        ShouldPrint("task-method", "NamedTasks.Body");
        ShouldPrint("task-lambda", "NamedTasks.Run");
    }

    [FactNeeding(Need.NativeAot)]
    public void Options_are_read_from_the_configuration()
    {
        ShouldPrint("options", "00:00:10 UserAndKernel 3 [shop.price, 100]");
        ShouldPrint("invalid-option", "The configuration value of 'PicolloOtlp:Endpoint' is invalid. "
            + "The endpoint must be an absolute http or https URL. (Parameter 'Endpoint')");
    }

    [FactNeeding(Need.NativeAot)]
    public void Requests_hub_methods_and_work_are_measured_and_shown()
    {
        ShouldPrint("item", "item 7");
        ShouldPrint("worker", "");
        ShouldPrint("branch", "leaf");
        ShouldPrint("hub", """{"type":3,"invocationId":"1","result":3}""");

        // The prefix of the branch is in fields that the compiler removes: see docs/aspnetcore.md.
        ShouldPrint("routes", "/hub (long-lived):1 /items/{id}:1 /leaf:1 /v1/metrics:2 /work:1");
        ShouldPrint("named-work", "Calculator.Add:1 import:1");
        ShouldBeTrue("pushed", "page", "exposition", "difference");
    }

    [FactNeeding(Need.NativeAot, Need.PerfEvents)]
    public void Events_are_counted()
    {
        ShouldPrint("counters", "Software:PageFaults Software:TaskClock");
        ShouldBeTrue("page-faults", "task-clock");
    }

    [FactNeeding(Need.NativeAot, Need.PerfEvents)]
    public void A_profile_names_functions_by_their_linker_symbols()
    {
        ShouldPrint("profile-hottest", "Native AotApp_AotApp_Profile__Mix");
        ShouldPrint("profile-callers", "AotApp_AotApp_Profile__Run AotApp_AotApp_Profile__Spin AotApp_AotApp_Profile__Mix");
        ShouldPrint("profile-notes", "");
        ShouldBeTrue("profile-page", "profile-pprof");
    }

    private void ShouldPrint(string fact, string value) => program.Output[fact].Should().Be(value, fact);

    private void ShouldBeTrue(params string[] facts) => facts.Should().OnlyContain(fact => program.Output[fact] == "True");
}
