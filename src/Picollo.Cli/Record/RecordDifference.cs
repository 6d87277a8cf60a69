using Picollo.Profiling;

namespace Picollo.Cli.Record;

/// <summary>Implements <c>picollo record --diff</c>: compares two pprof profiles.</summary>
internal static class RecordDifference
{
    /// <summary>Compares two profiles, and writes the table and the requested files.</summary>
    /// <returns>The exit code.</returns>
    /// <exception cref="CommandException">A profile cannot be read.</exception>
    public static int Run(Terminal terminal, string before, string after, string? htmlPath, string? svgPath)
    {
        CpuProfileDifference difference = new(Read(before), Read(after));
        return RecordFiles.Write(
            terminal,
            [(htmlPath, RecordFiles.Text(difference.WriteHtml)), (svgPath, RecordFiles.Text(difference.WriteSvg))],
            output => difference.WriteTable(output),
            terminal.Out,
            ExitCodes.Success);
    }

    private static CpuProfile Read(string path)
    {
        try
        {
            CommandException.ThrowIfEmpty(path);
            using FileStream file = File.OpenRead(path);
            return CpuProfile.ReadPprof(file);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or InvalidDataException)
        {
            throw CommandException.OfFile(path, e);
        }
    }
}
