using System.Buffers.Text;

namespace Picollo.Profiling.Symbols;

/// <summary>The functions of the kernel, from /proc/kallsyms. Immutable and thread-safe.</summary>
internal sealed class KernelSymbols
{
    private const string KernelModule = "[kernel]";

    private const string Hidden = "the kernel hides the addresses of its functions; it shows them to a process with CAP_SYSLOG if the "
        + "sysctl kernel.kptr_restrict is at most 1, and to all processes if it is 0 and kernel.perf_event_paranoid is at most 1";

    private readonly byte[] _text;
    private readonly ulong[] _addresses;
    private readonly int[] _names;

    private KernelSymbols(byte[] text, List<(ulong Address, int Rank, int Name)> functions)
    {
        _text = text;
        functions.Sort(); // if an address has several names, the one with the lowest rank is first
        (ulong Address, int Rank, int Name)[] distinct = [.. functions.DistinctBy(function => function.Address)];
        _addresses = [.. distinct.Select(function => function.Address)];
        _names = [.. distinct.Select(function => function.Name)];
    }

    /// <summary>Reads the functions of the running kernel.</summary>
    /// <inheritdoc cref="TryParse"/>
    public static KernelSymbols? TryRead(out string? reason)
    {
        try
        {
            return TryParse(File.ReadAllBytes("/proc/kallsyms"), out reason);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            reason = e.Message;
            return null;
        }
    }

    /// <summary>Parses lines such as <c>ffffffff81000000 T _stext</c>, which end with a tab and <c>[module]</c> for modules.</summary>
    /// <remarks>The text must not change afterwards. The result is null, with a reason, if there are no functions.</remarks>
    public static KernelSymbols? TryParse(byte[] text, out string? reason)
    {
        var functions = new List<(ulong Address, int Rank, int Name)>();
        for (int start = 0, next; start < text.Length; start = next)
        {
            next = (text.AsSpan(start).IndexOf((byte)'\n') is >= 0 and int end ? start + end : text.Length) + 1;
            ReadOnlySpan<byte> line = text.AsSpan(start..(next - 1));
            if (Utf8Parser.TryParse(line, out ulong address, out int digits, 'x') && address != 0
                && line[digits..] is [(byte)' ', (byte)'t' or (byte)'T' or (byte)'w' or (byte)'W', (byte)' ', _, ..])
            {
                int underscores = Math.Max(line[(digits + 3)..].IndexOfAnyExcept((byte)'_'), 0);
                functions.Add((address, (line[digits + 1] == 't' ? 1 << 16 : 0) + underscores, start + digits + 3));
            }
        }

        reason = functions.Count > 0 ? null : Hidden;
        return functions.Count > 0 ? new KernelSymbols(text, functions) : null;
    }

    /// <summary>Finds the last function that starts at or before an address, and its module: <c>[kernel]</c>, or a name such as
    /// <c>[nf_tables]</c>.</summary>
    public (string Name, string Module)? Find(ulong address)
    {
        int index = Array.BinarySearch(_addresses, address);
        index = index < 0 ? ~index - 1 : index;
        if (index < 0)
        {
            return null;
        }

        ReadOnlySpan<byte> line = _text.AsSpan(_names[index]);
        string[] parts = Encoding.UTF8.GetString(line[..(line.IndexOf((byte)'\n') is >= 0 and int end ? end : line.Length)]).Split('\t');
        return (parts[0], parts.Length > 1 ? parts[1] : KernelModule);
    }
}
