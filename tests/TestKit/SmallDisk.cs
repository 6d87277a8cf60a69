namespace Picollo.TestKit;

/// <summary>A small file system in memory.</summary>
internal sealed class SmallDisk : IDisposable
{
    private static readonly Dictionary<string, string?> AsItIs = [];

    public SmallDisk(string path, int kilobytes)
    {
        Path = Directory.CreateDirectory(path).FullName;
        Tool.Run("mount", "/", AsItIs, "-t", "tmpfs", "-o", $"size={kilobytes}k", "tmpfs", Path);
    }

    public string Path { get; }

    /// <summary>Fills the file system.</summary>
    /// <returns>The file that fills it.</returns>
    public string Fill()
    {
        string path = System.IO.Path.Combine(Path, "filler");
        using FileStream file = new(path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0);
        try
        {
            while (true)
            {
                file.WriteByte(0);
            }
        }
        catch (IOException)
        {
            // The file system is full.
        }

        return path;
    }

    public void Dispose() => Tool.Run("umount", "/", AsItIs, Path);
}
