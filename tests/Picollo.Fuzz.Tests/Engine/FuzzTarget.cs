using System.Numerics;
using System.Text.RegularExpressions;

namespace Picollo.Fuzz.Tests;

/// <summary>A decoder or parser with real inputs and its limits on damaged ones.</summary>
/// <param name="Name">The name, which is also the name of the folder of its findings.</param>
/// <param name="Seeds">Returns the real inputs.</param>
/// <param name="Read">Reads an input and checks the result. Returns the size of the result, such as the number of lines.</param>
internal sealed record FuzzTarget(string Name, Func<IReadOnlyList<FuzzSeed>> Seeds, Func<byte[], long> Read)
{
    /// <summary>The documented exceptions.</summary>
    public Type[] Documented { get; init; } = [];

    /// <summary>The number of bytes that an input may allocate, whatever its length: buffers, an exception with its stack, and objects that
    /// are created once.</summary>
    public long ConstantBytes { get; init; } = 500_000;

    /// <summary>The number of additional bytes that an input may allocate for each of its bytes.</summary>
    public int BytesPerByte { get; init; } = 100;

    public int Longest { get; init; } = 1 << 16;

    /// <summary>The number of inputs when all tests run.</summary>
    public int Count { get; init; } = 1000;

    /// <summary>Reads an input.</summary>
    public FuzzOutcome Try(byte[] input)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        string kind;
        Exception? failure = null;
        try
        {
            long size = Read(input);
            kind = size <= 0 ? "nothing" : $"2^{BitOperations.Log2((ulong)size)}";
        }
        catch (Exception e)
        {
            kind = KindOf(e);
            failure = Array.Exists(Documented, type => type.IsInstanceOfType(e)) ? null : e;
        }

        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        long limit = ConstantBytes + ((long)BytesPerByte * input.Length);
        if (failure is null && allocated > limit)
        {
            kind = "too many bytes";
            failure = new InsufficientMemoryException($"{allocated:N0} bytes were allocated for an input of {input.Length:N0}; the limit is {limit:N0}.");
        }

        return new FuzzOutcome(kind, allocated, failure);
    }

    // For documented exceptions, the kind is the message without numbers and quoted text; for others, the place in the code. The place of
    // a wrong result is the check that failed.
    private string KindOf(Exception e) => Array.Exists(Documented, type => type.IsInstanceOfType(e))
        ? $"{e.GetType().Name} {string.Concat(Regex.Replace(e.Message, "[0-9]+|'[^']*'|\"[^\"]*\"|[^ -~]+", "").Take(Math.Min(20, e.Message.Length / 2)))}"
        : $"{e.GetType().Name} {e.StackTrace?.Split('\n').FirstOrDefault(IsPlace) ?? e.Message}";

    private static bool IsPlace(string line) =>
        line.Contains(" Picollo.", StringComparison.Ordinal) && !line.Contains($".{nameof(FuzzTargets)}.{nameof(FuzzTargets.Check)}(", StringComparison.Ordinal);
}

/// <summary>The outcome of an input.</summary>
/// <param name="Kind">The exception, or the magnitude of the result. Inputs of a new kind are mutated further.</param>
/// <param name="AllocatedBytes">The number of bytes that the thread has allocated.</param>
/// <param name="Failure">The finding; null if the input was read or rejected as documented.</param>
internal readonly record struct FuzzOutcome(string Kind, long AllocatedBytes, Exception? Failure);
