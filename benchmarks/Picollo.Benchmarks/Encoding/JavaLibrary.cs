using System.ComponentModel;

namespace Picollo.Benchmarks.Encoding;

/// <summary>Measures the HdrHistogram library for Java (Debian's libhdrhistogram-java) in a separate JVM.</summary>
internal static class JavaLibrary
{
    private const string Jar = "/usr/share/java/hdrhistogram.jar";
    private static readonly TimeSpan Timeout = TimeSpan.FromMinutes(2);

    /// <summary>Returns the key of a figure in the program's output.</summary>
    public static string KeyOf(string measured) => $"java\t{measured}";

    /// <summary>Runs the program.</summary>
    /// <returns>The figures by <see cref="KeyOf"/>, or <see langword="null"/> if they are unavailable.</returns>
    public static Dictionary<string, Figures>? Measure(EncodingWorkload workload, out string? reason)
    {
        reason = File.Exists(Jar) ? null : $"{Jar} does not exist (install Debian's packages default-jdk-headless and libhdrhistogram-java)";
        if (reason is not null)
        {
            return null;
        }

        string data = Path.GetTempFileName();
        try
        {
            File.WriteAllBytes(data, workload.Encoded);
            string program = Path.Combine(AppContext.BaseDirectory, "Encoding", "EncodingTimes.java");

            // The heap of a small service. On a machine with one or two processors, the default garbage collector is Serial.
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

/// <summary>A figure that was measured in a JVM, for comparisons in the report.</summary>
internal sealed class JavaFigure(string name, string measured) : Contender(name, operations: 1)
{
    public string Key { get; } = JavaLibrary.KeyOf(measured);

    public override void Run(int operations) => throw new InvalidOperationException("This figure is measured in a JVM.");
}
