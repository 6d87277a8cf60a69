using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Picollo.Cli.Jitter;
using Picollo.Cli.Shell;
using Picollo.Cli.Tests.Shell;

namespace Picollo.Cli.Tests.Jitter;

[UnsupportedOSPlatform("windows")]
public sealed partial class ResultFolderTests : FolderTests
{
    /// <summary>Another user who guesses the name and can write to the folder could create such a file.</summary>
    [FactNeeding(Need.Linux)]
    public void An_existing_file_with_the_temporary_name_is_not_written()
    {
        string path = Folder.PathOf("results"), victim = Folder.PathOf("victim");
        File.WriteAllText(victim, "as it was");
        using ResultFolder folder = ResultFolder.Open(path);
        MakeLink(victim, Path.Combine(path, $"results.json.{Environment.ProcessId}.tmp")).Should().Be(0);

        folder.Invoking(each => each.WriteText("results.json", writer => writer.Write("written"))).Should().Throw<CommandException>();

        File.ReadAllText(victim).Should().Be("as it was");
        File.Exists(Path.Combine(path, "results.json")).Should().BeFalse();
    }

    [FactNeeding(Need.Linux)]
    public void Child_processes_inherit_neither_the_folder_nor_its_files()
    {
        string path = Folder.PathOf("results");
        using ResultFolder folder = ResultFolder.Open(path);
        using FileStream file = folder.Create("samples.raw");

        Descriptor[] descriptors = [.. Descriptor.Of(Environment.ProcessId).Where(each => each.Target.StartsWith(path, StringComparison.Ordinal))];

        descriptors.Select(each => each.Target).Should().BeEquivalentTo(path, Path.Combine(path, "samples.raw"));
        descriptors.Where(each => each.IsInherited).Should().BeEmpty();
    }

    [LibraryImport("libc", EntryPoint = "link", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int MakeLink(string existing, string path);
}
