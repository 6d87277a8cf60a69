using System.Buffers;
using System.Collections;

namespace Picollo.Interop.Linux;

/// <summary>Converts between UTF-8 and text without loss. A byte 80 to FF that is not part of a character becomes a lone surrogate U+DC80
/// to U+DCFF, as in Python (PEP 383). .NET would replace such bytes by U+FFFD.</summary>
internal static class RawText
{
    private const char Escape = '\uDC00';

    /// <summary>Returns the arguments of this process's Main with their original bytes.</summary>
    public static string[] Arguments(string[] arguments)
    {
        byte[][] all = Entries("/proc/self/cmdline");
        return all.Length < arguments.Length ? arguments : [.. all[^arguments.Length..].Select(argument => Decode(argument))];
    }

    /// <summary>Returns the environment of this process: variables with their original bytes, except those that this process has
    /// changed.</summary>
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

            foreach (byte invalid in bytes[..used])
            {
                text.Append((char)(Escape + invalid));
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

    /// <summary>Returns the zero-terminated entries of a file of /proc; empty if it cannot be read.</summary>
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
