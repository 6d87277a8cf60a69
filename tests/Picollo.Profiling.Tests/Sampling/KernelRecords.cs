using System.Text;

namespace Picollo.Profiling.Tests.Sampling;

/// <summary>Builds records in the format of the kernel (perf_event_open(2)).</summary>
internal static class KernelRecords
{
    /// <summary>PERF_RECORD_MISC_COMM_EXEC.</summary>
    public const ushort Exec = 1 << 13;

    public static byte[] Sample(int process, int thread, ulong time, ulong eventId, params ulong[] chain) =>
        Record(9, 2, [.. Numbers([eventId, (uint)process | ((ulong)(uint)thread << 32), time, (ulong)chain.Length, .. chain])]);

    public static byte[] Task(int type, int process, int thread, int parent) => Record(
        type, 0, [.. Numbers((uint)process | ((ulong)(uint)parent << 32), (uint)thread | ((ulong)(uint)parent << 32), 1), .. TrailerOf(1)]);

    public static byte[] Comm(int process, int thread, ushort mark, string name, ulong time = 1) =>
        Record(3, mark, [.. Numbers((uint)process | ((ulong)(uint)thread << 32)), .. Padded(name), .. TrailerOf(time)]);

    public static byte[] Mmap(int process, ulong start, ulong length, ulong offset, string path) => Record(
        10, 2, [.. Numbers((uint)process | ((ulong)(uint)process << 32), start, length, offset, 0, 0, 0, 0), .. Padded(path), .. TrailerOf(1)]);

    /// <summary>Returns the thread, the time and the event.</summary>
    private static byte[] TrailerOf(ulong time) => Numbers(0, time, 1);

    private static byte[] Padded(string text) => [.. Encoding.UTF8.GetBytes(text), .. new byte[8 - (text.Length % 8)]];

    public static byte[] Numbers(params ulong[] numbers) => [.. numbers.SelectMany(BitConverter.GetBytes)];

    public static byte[] Record(int type, ushort misc, byte[] content) =>
        [.. BitConverter.GetBytes(type), .. BitConverter.GetBytes(misc), .. BitConverter.GetBytes((ushort)(8 + content.Length)), .. content];
}
