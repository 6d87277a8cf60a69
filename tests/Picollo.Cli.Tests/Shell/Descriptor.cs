using System.Globalization;
using Picollo.Interop.Linux;

namespace Picollo.Cli.Tests.Shell;

/// <summary>An open descriptor of a process, from proc_pid_fd(5) and proc_pid_fdinfo(5).</summary>
/// <param name="Number">The number of the descriptor.</param>
/// <param name="Target">The file to which it refers.</param>
/// <param name="IsInherited">Whether child processes inherit it.</param>
internal sealed record Descriptor(int Number, string Target, bool IsInherited)
{
    public static IEnumerable<Descriptor> Of(int process)
    {
        foreach (FileSystemInfo link in new DirectoryInfo($"/proc/{process}/fd").EnumerateFileSystemInfos())
        {
            string? target = null, flags = null;
            try
            {
                target = link.LinkTarget;
                flags = File.ReadLines($"/proc/{process}/fdinfo/{link.Name}").First(line => line.StartsWith("flags:", StringComparison.Ordinal));
            }
            catch (IOException)
            {
                // The descriptor was closed in the meantime.
            }

            if (target is not null && flags is not null)
            {
                bool isClosed = (Convert.ToInt32(flags["flags:".Length..].Trim(), 8) & LibC.O_CLOEXEC) != 0;
                yield return new Descriptor(int.Parse(link.Name, CultureInfo.InvariantCulture), target, !isClosed);
            }
        }
    }
}
