using System.Text;

namespace Picollo.Cpu.Linux;

/// <summary>Reads the text of /proc/&lt;pid&gt;/cmdline (proc_pid_cmdline(5)): words, each followed by a zero. A program that writes over
/// its own may leave out the last zero, or have left many.</summary>
internal static class ProcCommandLine
{
    public static string[] Parse(ReadOnlySpan<byte> text)
    {
        if (text.IsEmpty)
        {
            return [];
        }

        if (text[^1] == 0)
        {
            text = text[..^1];
        }

        return Encoding.UTF8.GetString(text).Split('\0');
    }
}
