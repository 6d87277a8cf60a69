using System.Buffers;
using System.Collections;
using System.Text;

namespace Picollo.Diagnostics.Linux;

/// <summary>UTF-8 as text and back without loss: a byte 80 to FF that is not part of a character is a lone surrogate U+DC80 to U+DCFF, as
/// in Python (PEP 383). .NET replaces such bytes by U+FFFD.</summary>
internal static class RawText
{
    private const char Escape = '\uDC00';

    /// <summary>The arguments of this process's Main, as they were given to the process.</summary>
    public static string[] Arguments(string[] arguments)
    {
        byte[][] all = Entries("/proc/self/cmdline");
        return all.Length < arguments.Length ? arguments : [.. all[^arguments.Length..].Select(argument => Decode(argument))];
    }

    /// <summary>This process's environment: as it was at the start, except for what this process has changed.</summary>
    public static string[] Environment()
    {
        IEnumerable<DictionaryEntry> variables = System.Environment.GetEnvironmentVariables().Cast<DictionaryEntry>();
        HashSet<string> current = [.. variables.Select(variable => $"{variable.Key}={variable.Value}")];
        byte[][] unchanged = [.. Entries("/proc/self/environ").Where(entry => current.Contains(Encoding.UTF8.GetString(entry)))];
        return [.. unchanged.Select(entry => Decode(entry)), .. current.Except(unchanged.Select(Encoding.UTF8.GetString))];
    }

    public static string Decode(ReadOnlySpan<byte> bytes)
    {
        StringBuilder text = new(bytes.Length);
        for (int used; bytes.Length > 0; bytes = bytes[used..])
        {
            if (Rune.DecodeFromUtf8(bytes, out Rune rune, out used) == OperationStatus.Done)
            {
                text.Append(rune);
                continue;
            }

            foreach (byte one in bytes[..used])
            {
                text.Append((char)(Escape + one));
            }
        }

        return text.ToString();
    }

    public static byte[] Encode(string text)
    {
        List<byte> bytes = new(text.Length);
        Span<byte> character = stackalloc byte[4];
        int used;
        for (ReadOnlySpan<char> rest = text; rest.Length > 0; rest = rest[used..])
        {
            OperationStatus status = Rune.DecodeFromUtf16(rest, out Rune rune, out used);
            if (status != OperationStatus.Done && rest[0] is >= '\uDC80' and <= '\uDCFF')
            {
                bytes.Add((byte)(rest[0] - Escape));
            }
            else
            {
                bytes.AddRange(character[..rune.EncodeToUtf8(character)]);
            }
        }

        return [.. bytes];
    }

    /// <summary>What a file of /proc lists, each entry with a zero at its end; nothing where it cannot be read.</summary>
    private static byte[][] Entries(string path)
    {
        try
        {
            byte[] all = OperatingSystem.IsLinux() ? File.ReadAllBytes(path) : [];
            List<byte[]> entries = [];
            for (int start = 0, length; start < all.Length; start += length + 1)
            {
                length = all.AsSpan(start).IndexOf((byte)0) is >= 0 and var end ? end : all.Length - start;
                entries.Add(all[start..(start + length)]);
            }

            return [.. entries];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }
}
