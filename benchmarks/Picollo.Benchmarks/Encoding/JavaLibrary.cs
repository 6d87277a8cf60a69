using System.ComponentModel;

namespace Picollo.Benchmarks.Encoding;

/// <summary>Times the family's library (Debian's libhdrhistogram-java) in a JVM of its own.</summary>
internal static class JavaLibrary
{
    private const string Jar = "/usr/share/java/hdrhistogram.jar";
    private static readonly TimeSpan Timeout = TimeSpan.FromMinutes(2);

    /// <summary>What the program calls one of its figures.</summary>
    public static string KeyOf(string measured) => $"java\t{measured}";

    /// <summary>Figures by <see cref="KeyOf"/>; <see langword="null"/> and the reason where there are none.</summary>
    public static Dictionary<string, Figures>? Measure(EncodingWorkload workload, out string? reason)
    {
        reason = File.Exists(Jar) ? null : $"no {Jar} (Debian's packages default-jdk-headless and libhdrhistogram-java)";
        if (reason is not null)
        {
            return null;
        }

        string data = Path.GetTempFileName();
        try
        {
            File.WriteAllBytes(data, workload.Encoded);
            string program = Path.Combine(AppContext.BaseDirectory, "Encoding", "EncodingTimes.java");

            // The collector and the heap of a small service; the default of a machine with one or two processors is Serial too.
            string output = ChildProcess.Run("java", ["-Xms512m", "-Xmx512m", "-cp", Jar, program, data], Timeout);
            return Figures.Parse(output);
        }
        catch (Exception e) when (e is InvalidOperationException or Win32Exception)
        {
            reason = e.Message;
            return null;
        }
        finally
        {
            File.Delete(data);
        }
    }
}

/// <summary>Something that was timed elsewhere, to stand beside what is timed here.</summary>
internal sealed class JavaFigure(string name, string measured) : Contender(name, operations: 1)
{
    public string Key { get; } = JavaLibrary.KeyOf(measured);

    public override void Run(int operations) => throw new InvalidOperationException("It is timed in a JVM.");
}
