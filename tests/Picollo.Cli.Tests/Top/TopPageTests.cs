using Picollo.Cli.Shell;
using Picollo.Cli.Top;
using Picollo.Cpu;

namespace Picollo.Cli.Tests.Top;

/// <summary>Pages of artificial samples.</summary>
public class TopPageTests
{
    private const int Endless = int.MaxValue;
    private const long GiB = 1L << 30;

    [Fact]
    public void A_page_looks_like_top_with_additional_wait_and_pressure()
    {
        TopSample sample = Busy();

        Render(sample, new(), 120).Text().ShouldBeApproved("Top/Golden/page.txt");
        Render(sample, new() { PerCpu = true, Sort = TopSort.Memory }, 80).Text().ShouldBeApproved("Top/Golden/page80.txt");
    }

    [Fact]
    public void Memory_and_swap_have_a_common_unit_and_traced_processes_count_as_stopped()
    {
        TopSample sample = ArtificialMachine.Create().With(
            ArtificialMachine.Process(1, "stopped") with { State = 'T' }, ArtificialMachine.Process(2, "traced") with { State = 't' }, ArtificialMachine.Process(3, "dead") with { State = 'Z' });
        sample.Memory = sample.Memory!.Value with { SwapTotalBytes = 1024 * GiB, SwapFreeBytes = 1000 * GiB };

        string text = Render(sample, new(), 120).Text();

        text.Should().Contain("Tasks:   3 total,   0 running,   0 sleeping,   2 stopped,   1 zombie\n");
        text.Should().Contain("GiB Mem :     24.0 total,     20.0 free,");
        text.Should().Contain("GiB Swap:   1024.0 total,   1000.0 free,     24.0 used.");
    }

    [Fact]
    public void Control_characters_and_line_ends_in_names_are_replaced()
    {
        TopSample sample = ArtificialMachine.Create().With(
            ArtificialMachine.Process(10, "\e]0;x\a"),
            ArtificialMachine.Process(11, "a\nb\tc\r"),
            ArtificialMachine.Process(12, "\u202etxt.exe"),
            ArtificialMachine.Process(13, "日本語プロセス"),
            ArtificialMachine.Process(14, "e\u0301\u0302🙂🙂"),
            ArtificialMachine.Process(15, "\ud83d"),
            ArtificialMachine.Process(16, ""),
            ArtificialMachine.Process(17, "a b) R 1 (c"));
        sample.Processes.Add(new TopRow(ArtificialMachine.Process(18, "who"), null, "\e[31müser名前名前"));
        sample.CommandLineOf = process => process == 17 ? ["sh", "-c", "echo \e[0m\n'\u2028'"] : [];

        string text = Render(sample, new() { Sort = TopSort.Pid, IsReversed = true }, 80).Text();
        string commandLines = Render(sample, new() { Sort = TopSort.Pid, IsReversed = true, ShowCommandLine = true }, 82).Text();

        text.ShouldBeApproved("Top/Golden/foreign.txt");
        commandLines.ShouldBeApproved("Top/Golden/foreign-commands.txt");
        text.Should().NotContainAny("\e", "\a", "\t", "\r", "\u202e");
    }

    [Fact]
    public void Huge_numbers_fit_their_columns_and_unknown_values_are_omitted()
    {
        TopSample sample = ArtificialMachine.Create().With(
            ArtificialMachine.Process(int.MaxValue, "most", 4096, 9e8) with
            {
                VirtualBytes = long.MaxValue,
                ResidentBytes = long.MaxValue,
                SharedBytes = long.MaxValue,
                Nice = int.MinValue,
                Priority = int.MaxValue,
                WaitShare = 1e9,
            },
            ArtificialMachine.Process(1, "none", null) with
            {
                VirtualBytes = null,
                ResidentBytes = null,
                SharedBytes = null,
                Nice = null,
                Priority = null,
                State = null,
                UserId = null,
            },
            ArtificialMachine.Process(2, "real-time") with { Priority = -100 },
            ArtificialMachine.Process(3, "fifo-50") with { Priority = -51 });
        sample.Memory = new MachineMemory { TotalBytes = long.MaxValue, FreeBytes = 1, AvailableBytes = null, CacheBytes = 0, SwapTotalBytes = long.MaxValue, SwapFreeBytes = 0 };
        sample.Uptime = TimeSpan.MaxValue;

        TopSample nothing = new() { Time = DateTimeOffset.UnixEpoch };

        Render(sample, new(), Endless).Text().ShouldBeApproved("Top/Golden/huge.txt");
        Render(nothing, new(), 80).Text().ShouldBeApproved("Top/Golden/nothing.txt");
        Render(nothing, new() { PerCpu = true, ShowThreads = true }, 80).Should().HaveCount(4);
    }

    [Fact]
    public void Cgroup_limits_and_relevant_autogroups_have_a_line()
    {
        TopSample sample = ArtificialMachine.Create().With(ArtificialMachine.Process(1, "init"));
        CgroupCpu group = new() { Version = 2, Path = "/sys/fs/cgroup", Limit = 1.5, Share = 1.23456, PeriodCount = 100, ThrottledPeriodCount = 7, ThrottledTime = TimeSpan.FromSeconds(70) };
        sample.Cgroup = new TopCgroup(group, 10, 3, TimeSpan.FromSeconds(0.25));
        sample.HasAutogroups = true;

        Render(sample, new(), 80).Text().Should().NotContain("autogroups", "all processes have niceness 0")
            .And.Contain("\nCgroup  : 1.23 of 1.50 CPUs, 3 of 10 periods throttled, 0.25 s (70.0 s in total)\n");
        Render(sample.With(ArtificialMachine.Kernel(2, "kworker/0:0H")), new(), 80).Text().Should().NotContain("autogroups", "the user did not set the niceness of kernel threads");
        Render(sample.With(ArtificialMachine.Process(3, "nice") with { Nice = 5 }), new(), 80).Text()
            .Should().Contain("\nNI      : applies only within a session: autogroups are enabled (sched(7))\n");
        sample.HasAutogroups = null;
        Render(sample, new(), 80).Text().Should().NotContain("autogroups");
    }

    [Fact]
    public void Only_selected_users_and_processes_are_listed_and_counted()
    {
        TopSample sample = ArtificialMachine.Create().With([.. Enumerable.Range(1, 9).Select(id => ArtificialMachine.Process(id, $"p{id}") with { UserId = (uint)(id % 3) })]);

        Listed(sample, new() { User = 2 }).Should().Equal(2, 5, 8);
        Listed(sample, new() { Pids = [8, 3, 77] }).Should().Equal(3, 8);
        Listed(sample, new() { Pids = [8, 3], User = 0 }).Should().Equal(3);
        Render(sample, new() { Pids = [8, 3, 77] }, 80)[1].Text.Should().Be("Tasks:   2 total,   0 running,   2 sleeping,   0 stopped,   0 zombie");
        Render(sample, new() { User = 2 }, 80)[1].Text.Should().StartWith("Tasks:   9 total", "as top counts");
    }

    [Fact]
    public void Threads_have_their_own_values_and_the_memory_of_their_process()
    {
        TopSample sample = ArtificialMachine.Create().With(ArtificialMachine.Process(100, "dotnet", 0.9) with { State = 'R' });
        ThreadCpu worker = new() { Id = 101, ProcessId = 100, Name = ".NET TP Worker", State = 'R', Nice = 3, Priority = 23, Share = 0.5, WaitShare = 0.25, Usage = new CpuUsage(1_230_000_000, 0) };
        sample.Threads.Add(sample.Processes[0] with { Thread = worker });
        sample.Threads.Add(sample.Processes[0] with { Thread = worker with { Id = 102, Name = ".NET Finalizer", State = 'S', Share = 0 } });

        Render(sample, new() { ShowThreads = true }, 120).Text().ShouldBeApproved("Top/Golden/threads.txt");
    }

    [Fact]
    public void Two_thousand_processes_are_listed_completely_or_as_the_screen_permits()
    {
        TopSample sample = ArtificialMachine.Create().With([.. Enumerable.Range(1, 2000).Select(id => ArtificialMachine.Process(id, $"p{id}", id % 10 / 10.0))]);
        TopPage page = new();

        IReadOnlyList<ScreenLine> all = [.. page.Render(sample, new(), Endless)];
        IReadOnlyList<ScreenLine> screen = [.. page.Render(sample, new(), 80, lines: 24, firstRow: 5)];
        IReadOnlyList<ScreenLine> end = [.. page.Render(sample, new(), 80, lines: 24, firstRow: 1995)];

        all.Should().HaveCount(2000 + 8);
        page.Rows.Should().HaveCount(2000);
        screen.Should().HaveCount(24);
        screen[8].Text.Should().Be(page.Render(sample, new(), 80)[8 + 5].Text);
        end.Should().HaveCount(8 + 5);
        foreach ((int columns, int lines) in ((int, int)[])[(1, 1), (20, 5), (79, 24), (120, 60)])
        {
            IReadOnlyList<ScreenLine> small = Render(Busy(), new(), columns, lines);
            small.Count.Should().BeLessThanOrEqualTo(lines);
            small.Should().OnlyContain(line => CellText.WidthOf(line.Text) <= columns);
        }
    }

    [Fact]
    public void Busy_and_waiting_processes_picollo_and_the_header_are_highlighted()
    {
        TopSample sample = ArtificialMachine.Create().With(
            ArtificialMachine.Process(1, "waits", 1) with { WaitShare = 1 }, ArtificialMachine.Process(2, "busy", 0.9), ArtificialMachine.Process(3, "init", 0.001), ArtificialMachine.Process(4, "picollo"));
        sample.OwnId = 4;

        TopPage page = new();
        IReadOnlyList<ScreenLine> lines = page.Render(sample, new(), 80);

        lines.Select(line => line.Style).Should().Equal(
            [.. Enumerable.Repeat(LineStyle.Plain, 7), LineStyle.Reverse, LineStyle.Yellow, LineStyle.Green, LineStyle.Plain, LineStyle.Bold]);
        lines[page.MessageLine].Text.Should().BeEmpty();
    }

    private static TopSample Busy()
    {
        TopSample sample = ArtificialMachine.Create(cpus: 3).With(
            ArtificialMachine.Process(1, "systemd", 0.001, 12.3),
            ArtificialMachine.Process(4711, "dotnet", 1.987, 3661.5) with { State = 'R', VirtualBytes = 274L * GiB, ResidentBytes = 3 * GiB / 2, ThreadCount = 30, WaitShare = 0.125 },
            ArtificialMachine.Process(31337, "a-very-long-name", 0.5, 60_000) with { UserId = 7, State = 'D' },
            ArtificialMachine.Process(9, "gone") with { State = 'Z', VirtualBytes = 0, ResidentBytes = 0, SharedBytes = 0 },
            ArtificialMachine.Process(10, "held") with { State = 'T', Nice = 19, Priority = 39 },
            ArtificialMachine.Process(11, "migration/0") with { VirtualBytes = 0, ResidentBytes = 0, SharedBytes = 0, Priority = -100 },
            ArtificialMachine.Kernel(12, "kworker/R-rcu_gp"),
            ArtificialMachine.Process(13, "new", null));
        return sample;
    }

    private static IEnumerable<long> Listed(TopSample sample, TopSettings settings) => new TopList().Select(sample.Processes, settings, row => row.Name).Select(row => row.Id);

    private static IReadOnlyList<ScreenLine> Render(TopSample sample, TopSettings settings, int columns, int? lines = null) => new TopPage().Render(sample, settings, columns, lines);
}
