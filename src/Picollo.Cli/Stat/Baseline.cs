using Picollo.Export.Text;

namespace Picollo.Cli.Stat;

/// <summary>A baseline: saved runs of a command (docs/schemas/picollo-baseline.schema.json).</summary>
internal sealed record Baseline(string Command, Machine Machine, CommandSeries Series)
{
    private const string Kind = "picollo-baseline";
    private const int Version = 1;

    /// <exception cref="CommandException">The file cannot be read, or is not a baseline in a supported version.</exception>
    public static Baseline Read(string path) => ToolJson.Read(
        path,
        content =>
        {
            BaselineVersion version = ToolJson.Parse(content, StatJsonContext.Default.BaselineVersion);
            BaselineFile file = version.Kind != Kind ? throw new FormatException()
                : version.Version == Version ? ToolJson.Parse(content, StatJsonContext.Default.BaselineFile)
                : throw new CommandException(Invariant($"{path}: the baseline does not have version {Version}; save it again"));
            IEnumerable<CommandMeasure> measures = file.Measures.Select(MeasureOf).Where(measure => measure.Values.Count > 0);
            return new Baseline(file.Command, file.Machine, new(measures));
        },
        _ => "not a baseline file written by picollo stat --save");

    public void Write(string path)
    {
        BaselineFile content = new()
        {
            Kind = Kind,
            Version = Version,
            SavedAtUtc = DateTime.UtcNow,
            Command = Command,
            Machine = Machine,
            Measures = [.. Series.Measures.Select(measure => new BaselineMeasure(measure.Name, measure.Unit, measure.Values))],
        };
        OutputFile.Write(path, file => ToolJson.Write(file, content, StatJsonContext.Default.BaselineFile));
    }

    private static CommandMeasure MeasureOf(BaselineMeasure? saved)
    {
        CommandMeasure measure = saved is null ? throw new FormatException() : new(saved.Name, saved.Unit);
        foreach (ulong value in saved.Values)
        {
            measure.Add(value);
        }

        return measure;
    }
}

/// <summary>The members of a baseline file that all versions have.</summary>
internal sealed record BaselineVersion(string Kind, int Version);

internal sealed record BaselineFile
{
    public required string Kind { get; init; }

    public required int Version { get; init; }

    public DateTime SavedAtUtc { get; init; }

    public required string Command { get; init; }

    public required Machine Machine { get; init; }

    public required IReadOnlyList<BaselineMeasure?> Measures { get; init; }
}

internal sealed record BaselineMeasure(string Name, CommandUnit Unit, IReadOnlyList<ulong> Values);

/// <summary>The properties that make the times of two machines comparable. The host name is not included, because the machines of a pool
/// have different names.</summary>
internal sealed record Machine(string System, string Architecture, string Cpu, int CpuCount)
{
    public static Machine Read() => new(
        RuntimeInformation.OSDescription, $"{RuntimeInformation.OSArchitecture}", CpuName() ?? "unknown CPU", Environment.ProcessorCount);

    public override string ToString() => Invariant($"{CpuCount} × {Cpu}, {Architecture}, {System}");

    // The line of proc_cpuinfo(5) does not exist on arm64.
    private static string? CpuName() => OperatingSystem.IsWindows()
        ? Environment.GetEnvironmentVariable("PROCESSOR_IDENTIFIER")
        : Encoding.UTF8.GetString(InputFile.TryRead("/proc/cpuinfo") ?? []).Split('\n')
            .FirstOrDefault(line => line.StartsWith("model name", StringComparison.Ordinal))?.Split(':', 2)[^1].Trim();
}

/// <summary>Decides whether runs are slower than a baseline.</summary>
/// <param name="Change">The change of the mean elapsed time.</param>
/// <param name="Limit">The maximum permitted increase, as a share; null for no limit.</param>
internal sealed record Gate(Change Change, double? Limit)
{
    /// <summary>The <see cref="CommandQuantity.Name"/> of the compared quantity.</summary>
    public const string Measure = "elapsedNanoseconds";

    public const int CrossedExitCode = 3;

    /// <summary>Whether the whole confidence interval is above the limit.</summary>
    public bool IsCrossed => Change.Low > Limit;

    /// <summary>Whether the confidence interval contains the limit, so that the result is inconclusive.</summary>
    private bool IsInconclusive => !IsCrossed && Change.High > Limit;

    public override string ToString()
    {
        string change = $"elapsed: {Quantity.Change(Change.Mean)}";
        if (double.IsFinite(Change.Low))
        {
            change += $" (95 % confidence interval: {Quantity.Change(Change.Low)} to {Quantity.Change(Change.High)})";
        }

        if (Limit is not { } limit)
        {
            return change;
        }

        string text = Invariant($"{100 * limit:0.##} %");
        return IsCrossed ? $"{change}: above the limit of {text}"
            : IsInconclusive ? $"{change}: inconclusive: the limit of {text} is within the interval; use more runs (-r) to narrow it"
            : $"{change}: within the limit of {text}";
    }
}
