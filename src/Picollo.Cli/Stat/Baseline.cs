using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;

namespace Picollo.Cli.Stat;

/// <summary>A baseline: saved runs of a command (docs/schemas/picollo-baseline.schema.json).</summary>
/// <param name="Command">The text of the command.</param>
internal sealed record Baseline(string Command, Machine Machine, CommandSeries Series)
{
    private const string Kind = "picollo-baseline";
    private const int Version = 1;

    /// <summary>Reads a baseline file.</summary>
    /// <exception cref="CommandException">The file cannot be read, or is not a baseline in a supported version.</exception>
    public static Baseline Read(string path)
    {
        try
        {
            CommandException.ThrowIfEmpty(path);
            using JsonDocument document = JsonDocument.Parse(File.ReadAllBytes(path));
            JsonElement root = document.RootElement;
            if (root.GetProperty("kind").GetString() != Kind)
            {
                throw new FormatException();
            }

            return root.GetProperty("version").GetInt32() == Version
                ? new(root.GetProperty("command").GetString()!, Machine.Read(root.GetProperty("machine")), new(Measures(root)))
                : throw new CommandException(Invariant($"{path}: the baseline does not have version {Version}; save it again"));
        }
        catch (Exception e) when (e is JsonException or FormatException or KeyNotFoundException or InvalidOperationException)
        {
            throw new CommandException($"{path}: not a baseline file written by picollo stat --save");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw CommandException.OfFile(path, e);
        }
    }

    /// <summary>Writes a baseline file.</summary>
    /// <exception cref="CommandException">The file cannot be written.</exception>
    public void Write(string path) => OutputFile.Write(path, file =>
    {
        using Utf8JsonWriter json = new(file, new JsonWriterOptions { Indented = true, NewLine = "\n" });
        json.WriteStartObject();
        json.WriteString("kind", Kind);
        json.WriteNumber("version", Version);
        json.WriteString("savedAtUtc", DateTime.UtcNow);
        json.WriteString("command", Command);
        json.WriteStartObject("machine");
        Machine.Write(json);
        json.WriteEndObject();
        json.WriteObjects("measures", Series.Measures, measure =>
        {
            json.WriteString("name", measure.Name);
            json.WriteString("unit", Quantity.NameOf(measure.Unit));
            json.WriteStartArray("values");
            foreach (ulong value in measure.Values)
            {
                json.WriteNumberValue(value);
            }

            json.WriteEndArray();
        });
        json.WriteEndObject();
    });

    private static List<CommandMeasure> Measures(JsonElement root)
    {
        List<CommandMeasure> measures = [];
        foreach (JsonElement item in root.GetProperty("measures").EnumerateArray())
        {
            CommandMeasure measure = new(item.GetProperty("name").GetString()!, Quantity.UnitOf(item.GetProperty("unit").GetString()));
            foreach (JsonElement value in item.GetProperty("values").EnumerateArray())
            {
                measure.Add(value.GetUInt64());
            }

            if (measure.Values.Count > 0)
            {
                measures.Add(measure);
            }
        }

        return measures;
    }
}

/// <summary>The properties that make the times of two machines comparable. The host name is not included, because the machines of a pool
/// have different names.</summary>
internal sealed record Machine(string System, string Architecture, string Cpu, int CpuCount)
{
    public static Machine Read() => new(
        RuntimeInformation.OSDescription, $"{RuntimeInformation.OSArchitecture}", CpuName() ?? "unknown CPU", Environment.ProcessorCount);

    public static Machine Read(JsonElement json) => new(
        json.GetProperty("system").GetString()!,
        json.GetProperty("architecture").GetString()!,
        json.GetProperty("cpu").GetString()!,
        json.GetProperty("cpuCount").GetInt32());

    public void Write(Utf8JsonWriter json)
    {
        json.WriteString("system", System);
        json.WriteString("architecture", Architecture);
        json.WriteString("cpu", Cpu);
        json.WriteNumber("cpuCount", CpuCount);
    }

    public override string ToString() => Invariant($"{CpuCount} × {Cpu}, {Architecture}, {System}");

    private static string? CpuName()
    {
        if (OperatingSystem.IsWindows())
        {
            return Environment.GetEnvironmentVariable("PROCESSOR_IDENTIFIER");
        }

        // See proc_cpuinfo(5). The line does not exist on arm64.
        try
        {
            string? line = File.ReadLines("/proc/cpuinfo", Encoding.UTF8)
                .FirstOrDefault(line => line.StartsWith("model name", StringComparison.Ordinal));
            return line?[(line.IndexOf(':', StringComparison.Ordinal) + 1)..].Trim();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
