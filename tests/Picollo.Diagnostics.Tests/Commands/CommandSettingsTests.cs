using System.ComponentModel;
using Picollo.Diagnostics.Commands.Linux;
using Picollo.Interop.Linux;

namespace Picollo.Diagnostics.Tests;

/// <summary>Tests the directory and the environment of commands, with picollo_spawn and without it.</summary>
public sealed class CommandSettingsTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-settings").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [TheoryNeeding(Need.Linux, Need.NativeLibrary)]
    [InlineData(true)]
    [InlineData(false)]
    [Trait("Category", "Slow")]
    public void A_command_has_the_directory_and_the_changed_environment(bool isHeld)
    {
        Environment.SetEnvironmentVariable("PICOLLO_KEPT", "kept");
        Environment.SetEnvironmentVariable("PICOLLO_CHANGED", "before");
        Environment.SetEnvironmentVariable("PICOLLO_REMOVED", "here");
        var changes = new Dictionary<string, string?> { ["PICOLLO_CHANGED"] = "a=b 'ä'", ["PICOLLO_REMOVED"] = null, ["PICOLLO_EMPTY"] = "" };
        CommandMeter meter = Create(isHeld, changes, _folder);
        changes.Clear(); // it was copied

        meter.Run("/bin/sh", "-c", "pwd > seen; echo \"$PICOLLO_KEPT|$PICOLLO_CHANGED|${PICOLLO_REMOVED-none}|${PICOLLO_EMPTY-none}\" >> seen");

        File.ReadAllLines($"{_folder}/seen").Should().Equal(_folder, "kept|a=b 'ä'|none|");
        Create(isHeld).Run("/bin/sh", "-c", $"pwd > {_folder}/seen; echo $PICOLLO_CHANGED >> {_folder}/seen");
        File.ReadAllLines($"{_folder}/seen").Should().Equal(Environment.CurrentDirectory, "before");
    }

    [TheoryNeeding(Need.Linux, Need.NativeLibrary)]
    [InlineData(true)]
    [InlineData(false)]
    [Trait("Category", "Slow")]
    public void A_relative_path_of_the_program_is_relative_to_the_directory_of_this_process(bool isHeld)
    {
        string program = Script("tool", "pwd > seen");
        string there = Directory.CreateDirectory($"{_folder}/there").FullName;

        Create(isHeld, directory: there).Run(Path.GetRelativePath(Environment.CurrentDirectory, program)).ExitCode.Should().Be(0);

        File.ReadAllLines($"{there}/seen").Should().Equal(there);
    }

    /// <summary>The system resolves a link before <c>..</c>, so the path must not be shortened.</summary>
    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
    public void A_path_of_the_program_through_a_link_is_not_shortened()
    {
        Directory.CreateDirectory($"{_folder}/version/app");
        Script("version/tool", "exit 3");
        Directory.CreateSymbolicLink($"{_folder}/current", $"{_folder}/version/app");
        string link = Path.GetRelativePath(Environment.CurrentDirectory, $"{_folder}/current");

        Create(isHeld: true, directory: _folder).Run($"{link}/../tool").ExitCode.Should().Be(3);
    }

    [TheoryNeeding(Need.Linux, Need.NativeLibrary)]
    [InlineData(true)]
    [InlineData(false)]
    [Trait("Category", "Slow")]
    public void A_name_is_looked_up_in_the_PATH_of_the_command_if_the_command_is_held(bool isHeld)
    {
        Script("picollo-tool", "exit 4");
        CommandMeter meter = Create(isHeld, new() { ["PATH"] = _folder });
        if (isHeld)
        {
            meter.Run("picollo-tool").ExitCode.Should().Be(4);
        }
        else
        {
            meter.Invoking(each => each.Run("picollo-tool")).Should().Throw<Win32Exception>();
            meter.Run("sh", "-c", "exit 5").ExitCode.Should().Be(5);
        }
    }

    [TheoryNeeding(Need.Linux, Need.NativeLibrary)]
    [InlineData(true)]
    [InlineData(false)]
    [Trait("Category", "Slow")]
    public void A_missing_directory_is_reported(bool isHeld) => Create(isHeld, directory: "/picollo/none").Invoking(meter => meter.Run("true"))
        .Should().Throw<Win32Exception>().WithMessage("working directory /picollo/none: No such file or directory").Which.NativeErrorCode.Should().Be(Errno.ENOENT);

    [TheoryNeeding(Need.Linux, Need.NativeLibrary)]
    [InlineData(true)]
    [InlineData(false)]
    public void A_variable_that_is_too_long_for_the_system_is_an_error_of_the_command(bool isHeld) =>
        Create(isHeld, new() { ["LONG"] = new string('x', 1 << 18) }).Invoking(meter => meter.Run("true"))
            .Should().Throw<Win32Exception>().WithMessage("true: Argument list too long").Which.NativeErrorCode.Should().Be(Errno.E2BIG);

    [TheoryNeeding(Need.Linux, Need.NativeLibrary)]
    [InlineData(true)]
    [InlineData(false)]
    public void The_input_file_may_be_open_for_writing(bool isHeld)
    {
        using FileStream open = new($"{_folder}/input", FileMode.Create, FileAccess.ReadWrite, FileShare.ReadWrite);
        open.Write("seen"u8);
        open.Flush();

        Create(isHeld, input: open.Name).Run("/bin/sh", "-c", "[ $(cat) = seen ]").ExitCode.Should().Be(0);
    }

    [Theory]
    [InlineData("", "value")]
    [InlineData("a=b", "value")]
    [InlineData("a\0b", "value")]
    [InlineData("name", "a\0b")]
    public void A_variable_that_no_environment_can_have_is_rejected(string name, string value) =>
        FluentActions.Invoking(() => Create(isHeld: true, new() { [name] = value })).Should().Throw<ArgumentException>().WithParameterName("Environment");

    [Fact]
    public void A_directory_is_null_or_a_path()
    {
        new CommandMeter { WorkingDirectory = null }.WorkingDirectory.Should().BeNull();
        FluentActions.Invoking(() => new CommandMeter { WorkingDirectory = "" }).Should().Throw<ArgumentException>();
        FluentActions.Invoking(() => new CommandMeter { WorkingDirectory = "a\0b" }).Should().Throw<ArgumentException>();
    }

    private static CommandMeter Create(
        bool isHeld, Dictionary<string, string?>? environment = null, string? directory = null, string? input = null) =>
        new(null, () => isHeld ? SpawnProgram.Current : (null, new("not here", MeasurementUnavailableCause.NotSupported)))
        {
            Environment = environment ?? [],
            WorkingDirectory = directory,
            InputPath = input,
        };

    private string Script(string name, string text)
    {
        string path = $"{_folder}/{name}";
        File.WriteAllText(path, $"#!/bin/sh\n{text}\n");
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }

        return path;
    }
}
