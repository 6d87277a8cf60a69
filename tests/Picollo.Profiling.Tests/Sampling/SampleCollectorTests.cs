using Picollo.Profiling.Sampling;
using Picollo.Profiling.Symbols;
using Picollo.Profiling.Symbols.Files;
using static Picollo.Profiling.Tests.Sampling.KernelRecords;

namespace Picollo.Profiling.Tests.Sampling;

/// <summary>Handling records in the format of the kernel (perf_event_open(2)).</summary>
public class SampleCollectorTests
{
    private const int Main = 100, Child = 200, ForkMark = 7, ExitMark = 4, LostMark = 2;

    private readonly SampleCollector _samples = New(followsChildren: true);

    [Fact]
    public void Samples_of_all_threads_of_the_process_are_counted_and_those_of_other_processes_are_not()
    {
        Handle(
            Task(ForkMark, Main, 101, Main), Sample(Main, 101, 1, 1, 0x30), Sample(Main, Main, 1, 1, 0x30), Sample(999, 999, 2, 1, 0x30),
            Record(LostMark, 0, Numbers(1, 40)), Record(LostMark, 0, Numbers(1, 2)), Sample(Main, Main, 1, 1),
            Comm(Main, Main, 0, "renamed"), Comm(Main, 101, 0, "worker"));

        _samples.Processes.Should().ContainSingle().Which.Samples.SampleCount.Should().Be(2);
        (_samples.SampleCount, _samples.LostCount).Should().Be((2, 43), "a sample without addresses is also lost");
        _samples.Main.Name.Should().Be("renamed", "the name of the main thread is that of the process");
    }

    [Fact]
    public void A_child_starts_with_the_code_of_its_parent_and_has_its_own_samples_until_its_last_thread_ends()
    {
        Handle(
            Task(ForkMark, Child, Child, Main), Sample(Child, Child, 1, 1, 0x30),
            Task(ExitMark, Child, Child, Main), Sample(Child, Child + 1, 2, 1, 0x30));

        SampledProcess child = _samples.Processes.Should().HaveCount(2).And.ContainSingle(process => process.Id == Child).Subject;
        child.Mappings.Should().Equal(_samples.Main.Mappings).And.NotBeEmpty();
        (child.Samples.SampleCount, _samples.Main.Samples.SampleCount).Should().Be((2, 0));
    }

    [Fact]
    public void Other_processes_are_not_followed_unless_requested_even_if_they_reuse_the_ID()
    {
        SampleCollector samples = New(followsChildren: false);
        Handle(
            samples, Task(ForkMark, Child, Child, Main), Sample(Child, Child, 1, 1, 0x30),
            Task(ExitMark, Main, Main, 1), Task(ForkMark, Main, Main, 1), Sample(Main, Main, 2, 1, 0x30));

        (samples.Processes.Count, samples.SampleCount).Should().Be((1, 0));
    }

    [Fact]
    public void Executing_a_program_replaces_the_code()
    {
        Handle(Sample(Main, Main, 1, 1, 0x30), Comm(Main, Main, Exec, "other"), Mmap(Main, 0x500, 0x10, 0x40, "/bin/other"), Sample(Main, Main, 2, 1, 0x501));

        _samples.Processes.Should().HaveCount(2);
        (_samples.Processes[0].IsReplaced, _samples.Processes[1].IsReplaced, _samples.Processes[1].Name).Should().Be((true, false, "other"));
        _samples.Processes[1].Mappings.Should().Equal(new CodeMapping(0x500, 0x10, 0x40, "/bin/other"));
        _samples.Processes.Select(process => process.Samples.SampleCount).Should().Equal(1, 1);
    }

    [Fact]
    public void Processes_that_ended_without_samples_are_removed()
    {
        Handle(
            Task(ForkMark, 8888, 8888, Main), Sample(8888, 8888, 1, 1, 0x30), Task(ExitMark, 8888, 8888, Main),
            Task(ForkMark, 7777, 7777, Main), Task(ExitMark, 7777, 7778, 7777));
        for (int i = 0; i < 5000; i++)
        {
            Handle(Task(ForkMark, Child + i, Child + i, Main), Task(ExitMark, Child + i, Child + i, Main));
        }

        Handle(
            Task(ForkMark, 9999, 9999, Main),
            Sample(9999, 9999, 1, 1, 0x30),
            Sample(7777, 7777, 1, 1, 0x30),
            Task(ExitMark, 9999, 9999, Main),
            Task(ExitMark, Main, Main, Main));

        (_samples.SampleCount, _samples.SkippedProcessCount).Should().Be((3, 0));
        _samples.Processes.Should().HaveCountLessThanOrEqualTo(1000).And.Contain(_samples.Main);
        _samples.Processes.Where(process => process.Samples.SampleCount == 1).Select(process => process.Id).Should().Equal(8888, 7777, 9999);
    }

    [Fact]
    public void Removing_an_ended_process_keeps_the_process_that_has_its_ID_now_and_limits_the_number()
    {
        Handle(Task(ForkMark, Child, Child, Main), Task(ExitMark, Child, Child, Main), Task(ForkMark, Child, Child, Main));
        for (int i = 1; i < 1500; i++)
        {
            Handle(Task(ForkMark, Child + i, Child + i, Main), Task(ExitMark, Child + i, Child + i, Main));
        }

        Handle(Sample(Child, Child, 2, 1, 0x30));
        (_samples.SampleCount, _samples.SkippedProcessCount).Should().Be((1, 0));

        SampleCollector many = New(followsChildren: true);
        for (int i = 0; i < 1500; i++)
        {
            Handle(many, Task(ForkMark, Child + i, Child + i, Main), Sample(Child + i, Child + i, 1, 1, 0x30));
        }

        (many.Processes.Count, many.SkippedProcessCount, many.SampleCount).Should().Be((1000, 501, 999));
    }

    [Fact]
    public void The_latest_mappings_of_a_process_are_kept()
    {
        for (ulong i = 1; i <= 25_000; i++)
        {
            Handle(Mmap(Main, i << 12, 0x10, 0, "/x"));
        }

        _samples.Main.Mappings.Should().HaveCountLessThanOrEqualTo(20_000);
        _samples.Main.Mappings.TakeLast(10_000).Select(mapping => mapping.Start >> 12)
            .Should().Equal(Enumerable.Range(15_001, 10_000).Select(i => (ulong)i));
    }

    [Fact]
    public void A_thread_that_two_events_sample_is_counted_once_for_each_CPU_unless_its_ID_is_reused()
    {
        SampleCollector samples = New(followsChildren: false);
        foreach ((int thread, int ring, ulong eventId) in ((int, int, ulong)[])
            [(101, 0, 7), (101, 0, 8), (101, 0, 7), (101, 1, 9), (101, 1, 7), (102, 0, 7), (102, 0, 8), (102, 0, 7)])
        {
            samples.Handle(new PerfRecord(Sample(Main, thread, 1, eventId, 0x30)), ring);
        }

        samples.SampleCount.Should().Be(5);

        Handle(
            Sample(Main, 101, 1, 7, 0x30), Task(ExitMark, Main, 101, Main), Task(ForkMark, Main, 101, Main), Sample(Main, 101, 2, 8, 0x30),
            Task(ForkMark, Main, 101, Main), Sample(Main, 101, 3, 9, 0x30));
        _samples.SampleCount.Should().Be(3, "the record of a thread's end may be lost");
    }

    [FactNeeding(Need.Linux)]
    public void Only_a_process_that_executed_another_program_is_marked_as_such()
    {
        Handle(
            Task(ForkMark, Child, Child, Main), Sample(Main, Main, 1, 1, 0x9000), Sample(Child, Child, 1, 1, 0x9000),
            Comm(Main, Main, Exec, "other"), Sample(Main, Main, 2, 1, 0x9000));
        ProfileBuilder builder = new(
            new ProfilerSettings(Main, new CpuProfilerOptions()), new ProcessFiles(Environment.ProcessId), perfMap: null, _samples);

        builder.Build().Children.Select(child => child.Frame.Name).Should().BeEquivalentTo(
            "main (process 100)", "main (process 200)", "other (process 100, after execve)");
    }

    [FactNeeding(Need.Linux)]
    public void Calls_within_a_library_of_the_runtime_are_one_frame()
    {
        Handle(Mmap(Main, 0x500, 0x100, 0, "/r/libcoreclr.so"), Sample(Main, Main, 1, 1, 0x510, 0x520, 0x9000, 0x530, 0x9000));
        CpuProfileNode node = new ProfileBuilder(
            new ProfilerSettings(Main, new CpuProfilerOptions()), new ProcessFiles(Environment.ProcessId), perfMap: null, _samples).Build();

        List<string> path = [];
        for (; node.Children is [var child]; node = child)
        {
            path.Add(child.Frame.Name);
        }

        path.Should().Equal("[unknown]", "libcoreclr.so", "[unknown]", "libcoreclr.so");
    }

    private static SampleCollector New(bool followsChildren) =>
        new(Main, "main", [new CodeMapping(0x10, 0x100, 0, "/bin/main")], followsChildren);
    private void Handle(params byte[][] records) => Handle(_samples, records);

    private static void Handle(SampleCollector samples, params byte[][] records) =>
        Array.ForEach(records, record => samples.Handle(new PerfRecord(record), ring: 0));
}
