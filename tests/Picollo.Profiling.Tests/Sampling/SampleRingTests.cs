using System.Buffers.Binary;
using Picollo.Interop.Linux;
using Picollo.Profiling.Sampling;

namespace Picollo.Profiling.Tests.Sampling;

public unsafe class SampleRingTests
{
    private const int HeadOffset = 1024, TailOffset = 1032, RingBytes = 4096;

    [FactNeeding(Need.Linux)]
    public void Records_are_read_in_order_even_if_they_wrap_around()
    {
        using SampleRing ring = NewRing(out nint memory);
        ulong head = 0;
        for (int i = 1; i < 500; i++)
        {
            byte[] record = Record(i, 8 * (3 + (i % 40)));
            head += (ulong)record.Length;
            Write(memory, record);

            ring.TryPeek(out PerfRecord read).Should().BeTrue();
            (read.Size, read.ProcessId, read.LostCount).Should().Be((record.Length, i, BinaryPrimitives.ReadUInt64LittleEndian(record.AsSpan(16))));
            ring.Remove(read);
            ring.TryPeek(out _).Should().BeFalse();
            (*(ulong*)(memory + TailOffset)).Should().Be(head);
        }
    }

    [FactNeeding(Need.Linux)]
    public void Records_of_several_rings_are_handled_in_chronological_order()
    {
        using SampleRing first = NewRing(out nint firstMemory), second = NewRing(out nint secondMemory);
        var samples = new SampleCollector(100, "tests", [], followsChildren: false);
        Write(firstMemory, KernelRecords.Comm(100, 100, KernelRecords.Exec, "other", time: 2));
        Write(firstMemory, KernelRecords.Sample(100, 100, time: long.MaxValue, eventId: 1, 0x30)); // too young until the end
        Write(secondMemory, KernelRecords.Sample(100, 100, time: 1, eventId: 1, 0x30));
        Write(secondMemory, KernelRecords.Sample(100, 100, time: 3, eventId: 1, 0x30));

        new SampleReader([first, second], samples, frequency: 1, default).Dispose();

        samples.Processes.Select(process => process.Samples.SampleCount).Should().Equal(1, 2);
    }

    private static SampleRing NewRing(out nint memory)
    {
        memory = LibC.mmap(
            0, (nuint)(Environment.SystemPageSize + RingBytes), LibC.PROT_READ | LibC.PROT_WRITE, LibC.MAP_PRIVATE | LibC.MAP_ANONYMOUS, -1, 0);
        return new SampleRing(memory, RingBytes);
    }

    /// <summary>Appends a record, as the kernel does.</summary>
    private static void Write(nint memory, byte[] record)
    {
        ref ulong head = ref *(ulong*)(memory + HeadOffset);
        for (int k = 0; k < record.Length; k++)
        {
            ((byte*)memory)[(ulong)Environment.SystemPageSize + ((head + (ulong)k) % RingBytes)] = record[k];
        }

        head += (ulong)record.Length;
    }

    private static byte[] Record(int number, int size)
    {
        byte[] record = new byte[size];
        new Random(number).NextBytes(record);
        BinaryPrimitives.WriteUInt32LittleEndian(record, 2);
        BinaryPrimitives.WriteUInt16LittleEndian(record.AsSpan(6), (ushort)size);
        BinaryPrimitives.WriteInt32LittleEndian(record.AsSpan(8), number);
        return record;
    }
}
