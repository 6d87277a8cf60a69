namespace Picollo.Hosted;

/// <summary>Writes what the program that started the application prints and copies. Each file appears at once. Thread-safe.</summary>
internal static class HostedState
{
    private static int _count;

    /// <summary>Prints a line.</summary>
    public static void Say(HostedSettings settings, string line) =>
        Write(settings, $"line-{Environment.ProcessId}-{Interlocked.Increment(ref _count)}", line);

    /// <summary>Writes the page.</summary>
    public static void Report(HostedSettings settings, string document) => Write(settings, "report", document);

    private static void Write(HostedSettings settings, string name, string text)
    {
        if (settings.Folder is not { } folder)
        {
            return;
        }

        try
        {
            string path = Path.Combine(folder, $".{Environment.ProcessId}-{name}");
            File.WriteAllText(path, text);
            File.Move(path, Path.Combine(folder, name), overwrite: true);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The program that started the application has ended, or the application runs as another user.
        }
    }
}
