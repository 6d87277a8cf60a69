using System.Text;

namespace Picollo.Cli.Shell;

/// <summary>Writes a file as a whole or not at all.</summary>
internal static class OutputFile
{
    /// <summary>Writes a temporary file in the same folder and then renames it. Follows a link to its target. Writes directly to a device
    /// or a pipe.</summary>
    /// <param name="path">The path. An existing file must be writable, and keeps its content if writing fails.</param>
    /// <exception cref="CommandException">It cannot be written.</exception>
    public static void Write(string path, Action<Stream> write)
    {
        try
        {
            CommandException.ThrowIfEmpty(path);
            string place = PlaceOf(path);
            if (File.Exists(place))
            {
                // Appending leaves what /dev/stdout already has, and changes nothing unless it is followed by writing.
                using FileStream there = new(place, FileMode.Append, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0);
                if (!there.CanSeek || IsDevice(path) || IsDevice(place))
                {
                    write(there);
                    return;
                }
            }

            Replace(place, write);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw CommandException.OfFile(path, e);
        }
    }

    /// <summary>Writes a file of UTF-8 text.</summary>
    /// <inheritdoc cref="Write(string, Action{Stream})"/>
    public static void WriteText(string path, Action<TextWriter> write) => Write(path, stream => WriteText(stream, write));

    /// <summary>Writes UTF-8 text to a stream that stays open.</summary>
    public static void WriteText(Stream stream, Action<TextWriter> write)
    {
        using StreamWriter writer = new(stream, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false), leaveOpen: true)
        {
            NewLine = "\n",
        };
        write(writer);
    }

    private static void Replace(string place, Action<Stream> write)
    {
        string aside = $"{place}.{Environment.ProcessId}.tmp";
        try
        {
            using (FileStream file = new(aside, FileMode.Create, FileAccess.Write, FileShare.None))
            {
                write(file);
            }

            File.Move(aside, place, overwrite: true);
        }
        catch
        {
            File.Delete(aside);
            throw;
        }
    }

    // What /dev/stdout links to may have no path.
    private static string PlaceOf(string path) =>
        new FileInfo(path).LinkTarget is null || IsDevice(path)
            ? Path.GetFullPath(path)
            : File.ResolveLinkTarget(path, returnFinalTarget: true)!.FullName;

    // .NET does not distinguish them from files.
    private static bool IsDevice(string place) =>
        place.StartsWith("/dev/", StringComparison.Ordinal) && !place.StartsWith("/dev/shm/", StringComparison.Ordinal);
}
