using System.Diagnostics;
using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>
/// The contract of <see cref="SystemCpu"/> on every system, tested with a known burn; tests/HelperApp runs the same tests under Wine.
/// </summary>
[Collection(nameof(ReaderContractTests))]
public class SystemCpuContractTests
{
    private static readonly TimeSpan Amount = TimeSpan.FromMilliseconds(300);

    public SystemCpuContractTests() => Burn.ResetExcludedTime();

    [Fact]
    [Trait("Category", "Slow")]
    public void The_shares_of_the_machine_add_up_and_include_a_burn()
    {
        long start = Stopwatch.GetTimestamp();
        using var cpu = new SystemCpu();
        cpu.Total.HasShares.Should().BeFalse();
        TimeSpan burnt = Burn.User(Amount);
        cpu.Update();
        TimeSpan around = Stopwatch.GetElapsedTime(start);

        cpu.Interval.Should().BeGreaterThan(burnt * 0.9).And.BeLessThan(around + TimeSpan.FromMilliseconds(50)); // measured with another clock
        ShouldAddUp(cpu.Total);
        cpu.Cpus.Count.Should().BeGreaterThanOrEqualTo(1);
        double busy = 0;
        foreach (CpuStates one in cpu.Cpus)
        {
            busy += one.HasShares ? 1 - one.Idle!.Value : 0;
            if (one.HasShares)
            {
                ShouldAddUp(one);
            }
        }

        (busy * cpu.Interval).Should().BeGreaterThan(burnt * 0.8 - (2 * Steps.OfSplit));
        cpu.Counters()[CpuState.Idle]!.Value.Should().BePositive();
        cpu.Total.ToString().Should().Contain(" us").And.Contain(" id");
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void This_process_and_thread_are_listed_with_their_shares()
    {
        using var cpu = new SystemCpu(SystemCpuParts.Processes | SystemCpuParts.Threads);
        TimeSpan burnt = Burn.User(Amount);
        cpu.Update();

        // Other threads of the runtime may also use CPU time.
        ProcessCpu process = cpu.Processes.Single(p => p.Id == Environment.ProcessId);
        process.Name.Should().NotBeEmpty();
        process.ThreadCount.Should().BeGreaterThan(1);
        process.Usage.Total.Should().BeLessThanOrEqualTo(CpuUsageReader.GetByProcess().Total + Steps.OfSplit);
        (process.Share!.Value * cpu.Interval).Should().BeGreaterThan(burnt * 0.9 - (2 * Steps.OfSplit));

        ThreadCpu thread = cpu.Threads.Single(t => t.Id == CpuUsageReader.GetThreadId());
        thread.ProcessId.Should().Be(Environment.ProcessId);
        Steps.ShouldBeAbout(thread.Share!.Value * cpu.Interval, burnt, Steps.OfSplit);
        thread.Usage.Total.Should().BeLessThanOrEqualTo(CpuUsageReader.GetByThread().Total + Steps.OfSplit);
        cpu.Threads.Count(t => t.ProcessId == Environment.ProcessId).Should().BeGreaterThan(1);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void A_new_process_counts_and_an_ended_one_is_absent()
    {
        using var cpu = new SystemCpu(SystemCpuParts.Processes);
        using Process child = Child.Busy();
        try
        {
            cpu.Processes.Should().NotContain(p => p.Id == child.Id);
            Thread.Sleep(Amount);
            cpu.Update();
            ProcessCpu seen = cpu.Processes.Single(p => p.Id == child.Id);
            seen.Share.Should().NotBeNull().And.BeGreaterThan(0);
            seen.Usage.Total.Should().BePositive();
        }
        finally
        {
            Child.End(child);
        }

        cpu.Update();
        cpu.Processes.Should().NotContain(p => p.Id == child.Id);
    }

    [Fact]
    public void Absent_parts_have_a_reason()
    {
        using var cpu = new SystemCpu(SystemCpuParts.All);
        cpu.Update();

        ShouldHaveReason(cpu.LoadAverage1Minute is null, SystemCpuParts.LoadAverage);
        ShouldHaveReason(cpu.RunnableThreadCount is null, SystemCpuParts.RunQueue);
        ShouldHaveReason(cpu.Cgroup is null, SystemCpuParts.Cgroup);
        ShouldHaveReason(cpu.Pressure is null, SystemCpuParts.Pressure);
        ShouldHaveReason(cpu.Processes.Count == 0, SystemCpuParts.Processes);
        ShouldHaveReason(cpu.Threads.Count == 0, SystemCpuParts.Threads);
        ShouldHaveReason(cpu.Memory is null, SystemCpuParts.Memory);
        ShouldHaveReason(cpu.Processes.All(p => p.UserId is null), SystemCpuParts.Owners);
        ShouldHaveReason(cpu.Processes.All(p => p.WaitShare is null) || cpu.Threads.All(t => t.WaitShare is null), SystemCpuParts.Waits);
        cpu.GetUnavailableReason(SystemCpuParts.States).Should().BeNull();
        if (cpu is { RunnableThreadCount: { } running, TotalThreadCount: { } total })
        {
            running.Should().BeInRange(1, total, "the calling thread runs");
        }

        void ShouldHaveReason(bool isAbsent, SystemCpuParts part)
        {
            if (isAbsent)
            {
                cpu.GetUnavailableReason(part).Should().NotBeNullOrWhiteSpace(part.ToString());
            }
        }
    }

    [Fact]
    public void The_sizes_of_this_process_fit_into_the_memory_of_the_machine()
    {
        // Access the pages, so that they are resident.
        byte[] array = new byte[32 << 20];
        Array.Fill(array, (byte)1);
        using var cpu = new SystemCpu(SystemCpuParts.Processes | SystemCpuParts.Memory);

        ProcessCpu process = cpu.Processes.Single(p => p.Id == Environment.ProcessId);
        GC.KeepAlive(array);
        process.ResidentBytes.Should().BeGreaterThan(array.Length);
        process.VirtualBytes.Should().BeGreaterThanOrEqualTo(process.ResidentBytes!.Value);
        process.SharedBytes.Should().Match(shared => shared == null || (shared >= 0 && shared <= process.ResidentBytes));
        if (cpu.Memory is { } memory)
        {
            memory.TotalBytes.Should().BeGreaterThan(process.ResidentBytes.Value);
            memory.FreeBytes.Should().BeInRange(0, memory.TotalBytes);
            memory.UsedBytes.Should().BeInRange(0, memory.TotalBytes);
            memory.AvailableBytes.Should().BeLessThanOrEqualTo(memory.TotalBytes);
            memory.SwapFreeBytes.Should().BeInRange(0, memory.SwapTotalBytes);
        }
    }

    [Fact]
    public void A_command_line_is_returned_unless_the_system_has_none()
    {
        using var cpu = new SystemCpu(SystemCpuParts.Processes);
        cpu.GetCommandLine(int.MaxValue).Should().BeNull();
        string[]? words = cpu.GetCommandLine(Environment.ProcessId);
        (words is null).Should().Be(!OperatingSystem.IsLinux());
        words?.Should().NotBeEmpty();
    }

    [Fact]
    public void Counters_never_decrease_between_samples()
    {
        using var cpu = new SystemCpu(SystemCpuParts.Processes);
        CpuStateTimes last = cpu.Counters();
        CpuUsage lastUsage = cpu.Processes.Single(p => p.Id == Environment.ProcessId).Usage;
        for (int i = 0; i < 50; i++)
        {
            cpu.Update();
            CpuStateTimes now = cpu.Counters();
            CpuUsage usage = cpu.Processes.Single(p => p.Id == Environment.ProcessId).Usage;
            now[CpuState.User].Should().BeGreaterThanOrEqualTo(last[CpuState.User]!.Value);
            usage.User.Should().BeGreaterThanOrEqualTo(lastUsage.User);
            usage.Kernel.Should().BeGreaterThanOrEqualTo(lastUsage.Kernel);
            (last, lastUsage) = (now, usage);
        }
    }

    [Fact]
    public void An_update_does_not_allocate_in_steady_state()
    {
        using var cpu = new SystemCpu(SystemCpuParts.All);
        long least = long.MaxValue;

        // Use the minimum of several rounds, because a process with a new name may have started.
        for (int i = 0; i < 20; i++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            cpu.Update();
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        least.Should().Be(0);
    }

    private static void ShouldAddUp(CpuStates states)
    {
        double?[] shares =
        [
            states.User, states.System, states.Nice, states.Idle, states.IOWait, states.HardIrq, states.SoftIrq, states.Steal,
            states.Guest, states.GuestNice,
        ];
        shares.Should().OnlyContain(share => share == null || (share >= 0 && share <= 1));
        shares.Sum().Should().BeApproximately(1, 1e-9);
        states.Idle.Should().NotBeNull();
        states.User.Should().NotBeNull();
    }
}
