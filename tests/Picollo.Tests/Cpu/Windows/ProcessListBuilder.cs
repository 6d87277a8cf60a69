using System.Buffers.Binary;
using System.Text;

namespace Picollo.Tests.Cpu.Windows;

/// <summary>
/// Builds the result of SystemProcessInformation, with the offsets of winternl.h for 64-bit programs: an entry of 256 bytes, its threads of
/// 80 bytes each, its name; the next entry follows directly, aligned or not, as on Wine.
/// </summary>
internal sealed class ProcessListBuilder
{
    public const ulong Address = 0x7FFE_0000_1000;

    private readonly List<byte> _bytes = [];
    private int _last = -1;

    /// <summary>The entry of a thread.</summary>
    public sealed record Thread(
        long Id, uint State = 5, uint WaitReason = 0, int Priority = 8, long Created = 0, long User = 0, long Kernel = 0);

    public ProcessListBuilder Add(
        long id, string name, long created = 0, long user = 0, long kernel = 0, int priority = 8, params Thread[] threads) =>
        Add(id, name, (VirtualBytes: 0, ResidentBytes: 0), created, user, kernel, priority, threads);

    public ProcessListBuilder Add(
        long id, string name, (long VirtualBytes, long ResidentBytes) sizes, long created = 0, long user = 0, long kernel = 0, int priority = 8, params Thread[] threads)
    {
        int at = _bytes.Count;
        if (_last >= 0)
        {
            byte[] next = new byte[4];
            BinaryPrimitives.WriteInt32LittleEndian(next, at - _last);
            for (int i = 0; i < next.Length; i++)
            {
                _bytes[_last + i] = next[i];
            }
        }

        _last = at;
        byte[] text = Encoding.Unicode.GetBytes(name);
        byte[] entry = new byte[256 + (80 * threads.Length) + text.Length + 2];
        Write(entry, 4, threads.Length);
        Write(entry, 32, created);
        Write(entry, 40, user);
        Write(entry, 48, kernel);
        Write(entry, 56, text.Length | ((text.Length + 2) << 16));
        Write(entry, 64, text.Length == 0 ? 0 : (long)Address + at + entry.Length - text.Length - 2);
        Write(entry, 72, priority);
        Write(entry, 80, id);
        Write(entry, 120, sizes.VirtualBytes);
        Write(entry, 144, sizes.ResidentBytes);
        for (int i = 0; i < threads.Length; i++)
        {
            int thread = 256 + (80 * i);
            Write(entry, thread, threads[i].Kernel);
            Write(entry, thread + 8, threads[i].User);
            Write(entry, thread + 16, threads[i].Created);
            Write(entry, thread + 40, id);
            Write(entry, thread + 48, threads[i].Id);
            Write(entry, thread + 56, threads[i].Priority);
            Write(entry, thread + 68, (int)threads[i].State);
            Write(entry, thread + 72, (int)threads[i].WaitReason);
        }

        text.CopyTo(entry, entry.Length - text.Length - 2);
        _bytes.AddRange(entry);
        return this;
    }

    public byte[] ToArray() => [.. _bytes];

    private static void Write(byte[] entry, int offset, int value) => BinaryPrimitives.WriteInt32LittleEndian(entry.AsSpan(offset), value);

    private static void Write(byte[] entry, int offset, long value) => BinaryPrimitives.WriteInt64LittleEndian(entry.AsSpan(offset), value);
}
