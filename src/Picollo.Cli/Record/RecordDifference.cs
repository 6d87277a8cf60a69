using Picollo.Profiling;

namespace Picollo.Cli.Record;

/// <summary>Implements <c>picollo record --diff</c>: compares two pprof profiles.</summary>
internal static class RecordDifference
{
    public static int Run(Terminal terminal, string before, string after, string? sampleType, string? htmlPath, string? svgPath)
    {
        CpuProfileDifference difference = Compare(Read(before, sampleType), Read(after, sampleType));
        return RecordFiles.Write(
            terminal,
            [(htmlPath, RecordFiles.Text(difference.WriteHtml)), (svgPath, RecordFiles.Text(difference.WriteSvg))],
            output => difference.WriteTable(output),
            terminal.Out,
            ExitCodes.Success);
    }

    private static CpuProfileDifference Compare(CpuProfile before, CpuProfile after)
    {
        try
        {
            return new(before, after);
        }
        catch (ArgumentException e)
        {
            throw new CommandException(e.Message.Split(" (Parameter ")[0]);
        }
    }

    private static CpuProfile Read(string path, string? sampleType) => CommandException.OnFile(path, () =>
    {
        using FileStream file = File.OpenRead(path);
        return CpuProfile.ReadPprof(file, sampleType);
    });
}
