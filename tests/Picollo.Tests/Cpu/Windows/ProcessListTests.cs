using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Picollo.Cpu;
using Picollo.Cpu.Windows;
using Thread = Picollo.Tests.Cpu.Windows.ProcessListBuilder.Thread;

namespace Picollo.Tests.Cpu.Windows;

/// <summary>Tests the parser of the process list of Windows with lists that the tests build.</summary>
public class ProcessListTests
{
    private const long Boot = 134_397_271_840_000_000; // in November 2026
    private const SystemCpuParts Everything = SystemCpuParts.RunQueue | SystemCpuParts.Processes | SystemCpuParts.Threads;

    [Fact]
    public void The_entries_have_the_sizes_and_offsets_of_winternl_h()
    {
        Unsafe.SizeOf<ProcessEntry>().Should().Be(256);
        Unsafe.SizeOf<ThreadEntry>().Should().Be(80);
        Unsafe.SizeOf<ProcessorTimes>().Should().Be(48);
        Marshal.OffsetOf<ProcessorTimes>(nameof(ProcessorTimes.Interrupt)).Should().Be(32);
    }

    [Fact]
    public void Processes_and_threads_are_read()
    {
        SystemCpuSample sample = Read(new ProcessListBuilder()
            .Add(4, "System", created: 0, kernel: 900, priority: 8, threads: [new Thread(12, Created: 0)])
            .Add(440, "a.exe", Boot + 5, user: 20, kernel: 10, priority: 13,
                new Thread(444, State: 2, Priority: 15, Created: Boot + 6, User: 19, Kernel: 7),
                new Thread(448, State: 5, WaitReason: 6, Priority: 9, Created: Boot + 7, User: 1, Kernel: 3))
            .Add(460, "größer.exe", Boot + 8, threads: new Thread(464, State: 5)));

        sample.Processes.Items.ToArray().Select(p => (p.Id, p.Shown.Id, p.Shown.Name, p.Shown.State, p.Shown.Priority, p.Shown.ThreadCount)).Should().Equal(
            (4, 4, "System", 'S', 8, 1), (440, 440, "a.exe", 'R', 13, 2), (460, 460, "größer.exe", 'S', 8, 1));
        sample.Processes.Items.ToArray().Select(p => (p.Shown.StartNanoseconds, p.Shown.Usage)).Should().Equal(
            (0, new CpuUsage(0, 90_000)), (500, new CpuUsage(2_000, 1_000)), (800, default(CpuUsage)));
        sample.Threads.Items.ToArray().Select(t => (t.Id, t.Shown.Id, t.Shown.Name, t.Shown.State, t.Shown.Priority, t.Shown.StartNanoseconds, t.Shown.Usage)).Should().Equal(
            (12, 4, "System", 'S', 8, 0, default),
            (444, 440, "a.exe", 'R', 15, 600, new CpuUsage(1_900, 700)),
            (448, 440, "a.exe", 'S', 9, 700, new CpuUsage(100, 300)),
            (464, 460, "größer.exe", 'S', 8, 0, default));
        sample.RunQueue.Should().Be(new RunQueueState(Running: 1, Blocked: null, Total: 4));
        sample.Processes.Items.ToArray().Should().OnlyContain(p => p.Shown.Nice == null && p.Shown.LastCpu == null && p.PreciseNanoseconds == null);
    }

    [Fact]
    public void Only_requested_parts_are_read()
    {
        var list = new ProcessListBuilder().Add(440, "a.exe", threads: new Thread(444, State: 2));
        Read(list, SystemCpuParts.Processes).Threads.Count.Should().Be(0);
        Read(list, SystemCpuParts.Processes).RunQueue.Should().BeNull();
        Read(list, SystemCpuParts.Threads).Processes.Count.Should().Be(0);
        Read(list, SystemCpuParts.RunQueue).RunQueue.Should().NotBeNull();
    }

    [Fact]
    public void Sizes_are_read_if_memory_is_requested()
    {
        ProcessListBuilder list = new ProcessListBuilder().Add(440, "a.exe", (VirtualBytes: 1L << 40, ResidentBytes: 3L << 30)).Add(460, "untold.exe");
        (long?, long?, long?)[] Sizes(SystemCpuParts parts) =>
            [.. Read(list, parts).Processes.Items.ToArray().Select(p => (p.Shown.VirtualBytes, p.Shown.ResidentBytes, p.Shown.SharedBytes))];

        Sizes(SystemCpuParts.Processes | SystemCpuParts.Memory).Should().Equal((1L << 40, 3L << 30, null), (null, null, null));
        Sizes(SystemCpuParts.Processes).Should().Equal((null, null, null), (null, null, null));
    }

    [Fact]
    public void The_idle_process_is_skipped()
    {
        SystemCpuSample sample = Read(new ProcessListBuilder()
            .Add(0, "", kernel: 1_000, threads: [new Thread(0, State: 2), new Thread(0, State: 2)])
            .Add(4, "System", threads: new Thread(12, State: 1)));

        sample.Processes.Items.ToArray().Select(p => p.Id).Should().Equal(4);
        sample.RunQueue.Should().Be(new RunQueueState(1, null, 1));
    }

    [Theory]
    [InlineData(1, 0, 'R')]
    [InlineData(2, 0, 'R')]
    [InlineData(3, 0, 'R')]
    [InlineData(7, 0, 'R')]
    [InlineData(4, 0, 'X')]
    [InlineData(5, 0, 'S')]
    [InlineData(5, 5, 'T')]
    [InlineData(5, 12, 'T')]
    [InlineData(6, 0, 'S')]
    [InlineData(8, 0, 'S')]
    [InlineData(0, 0, null)]
    [InlineData(99, 0, null)]
    public void States_have_the_letters_of_Linux(uint state, uint waitReason, char? letter)
    {
        SystemCpuSample sample = Read(new ProcessListBuilder().Add(440, "a.exe", threads: new Thread(444, state, waitReason)));
        sample.Threads.Items[0].Shown.State.Should().Be(letter);
        sample.Processes.Items[0].Shown.State.Should().Be(letter);
    }

    [Fact]
    public void The_process_has_the_most_active_state_of_its_threads()
    {
        SystemCpuSample sample = Read(new ProcessListBuilder()
            .Add(440, "a", threads: [new Thread(1, 4), new Thread(2, 5, 5), new Thread(3, 0), new Thread(4, 5)])
            .Add(460, "b", threads: [new Thread(5, 2), new Thread(6, 5)])
            .Add(480, "c"));
        sample.Processes.Items.ToArray().Select(p => p.Shown.State).Should().Equal('S', 'R', null);
    }

    [Fact]
    public void Without_a_running_thread_the_run_queue_is_unknown()
    {
        SystemCpuSample sample = Read(new ProcessListBuilder().Add(440, "a.exe", threads: [new Thread(444, 0), new Thread(448, 0)]));
        sample.RunQueue.Should().Be(new RunQueueState(null, null, 2));
    }

    [Fact]
    public void Negative_times_are_zero_and_too_long_ones_are_clamped()
    {
        SystemCpuSample sample = Read(new ProcessListBuilder().Add(440, "a.exe", created: -5, user: -1, kernel: long.MaxValue));
        sample.Processes.Items[0].Shown.Usage.Should().Be(new CpuUsage(0, long.MaxValue));
        sample.Processes.Items[0].Shown.StartNanoseconds.Should().Be(0);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(1)]
    [InlineData(1_000_000)]
    [InlineData(int.MinValue)]
    public void An_invalid_offset_ends_the_list(int next)
    {
        byte[] list = new ProcessListBuilder().Add(440, "a.exe").Add(460, "b.exe").ToArray();
        BinaryPrimitives.WriteInt32LittleEndian(list, next);
        Read(list, Everything).Processes.Items.ToArray().Select(p => p.Id).Should().Equal(440);
    }

    [Theory]
    [InlineData(0L)]
    [InlineData((long)ProcessListBuilder.Address - 2)]
    [InlineData((long)ProcessListBuilder.Address + 1_000_000)]
    public void A_name_outside_the_list_is_empty(long address)
    {
        byte[] list = new ProcessListBuilder().Add(440, "a.exe").ToArray();
        BinaryPrimitives.WriteInt64LittleEndian(list.AsSpan(64), address);
        Read(list, Everything).Processes.Items[0].Shown.Name.Should().BeEmpty();
    }

    [Fact]
    public void A_truncated_list_has_no_more_entries_than_the_whole()
    {
        byte[] list = new ProcessListBuilder()
            .Add(440, "a.exe", threads: [new Thread(444), new Thread(448)]).Add(460, "b.exe", threads: new Thread(464)).ToArray();
        for (int length = 0; length < list.Length; length++)
        {
            SystemCpuSample sample = Read(list[..length], Everything);
            sample.Processes.Items.ToArray().Select(p => p.Id).Should().BeSubsetOf([440, 460]);
            sample.Threads.Items.ToArray().Select(t => t.Id).Should().BeSubsetOf([444, 448, 464]);
        }
    }

    [Fact]
    public void The_times_of_a_processor_do_not_overlap()
    {
        var times = new ProcessorTimes { Idle = 500, Kernel = 800, User = 200, Dpc = 30, Interrupt = 20 };
        CpuStateTimes states = times.Plus(times).States;

        states[CpuState.Idle]!.Value.Ticks.Should().Be(1_000);
        states[CpuState.System]!.Value.Ticks.Should().Be(500);
        states[CpuState.User]!.Value.Ticks.Should().Be(400);
        states[CpuState.SoftIrq]!.Value.Ticks.Should().Be(60);
        states[CpuState.HardIrq]!.Value.Ticks.Should().Be(40);
        new[] { states[CpuState.Nice], states[CpuState.IOWait], states[CpuState.Steal], states[CpuState.Guest], states[CpuState.GuestNice] }.Should().OnlyContain(state => state == null);

        // The five values are not read at the same moment.
        new ProcessorTimes { Idle = 500, Kernel = 499 }.States[CpuState.System].Should().Be(TimeSpan.Zero);
    }

    private static SystemCpuSample Read(ProcessListBuilder list, SystemCpuParts parts = Everything) => Read(list.ToArray(), parts);

    private static SystemCpuSample Read(byte[] list, SystemCpuParts parts)
    {
        var sample = new SystemCpuSample();
        new ProcessList(Boot).Read(list, ProcessListBuilder.Address, sample, parts);
        return sample;
    }
}
