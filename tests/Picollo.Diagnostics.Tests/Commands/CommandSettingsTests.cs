using System.ComponentModel;
using Picollo.Diagnostics.Commands.Linux;
using Picollo.Interop.Linux;

namespace Picollo.Diagnostics.Tests;

/// <summary>Tests the directory, the environment and the input of commands, with picollo_spawn and without it.</summary>
[Trait("Category", "Slow")]
public sealed class CommandSettingsTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-settings").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [TheoryNeeding(Need.Linux, Need.NativeLibrary)]
    [InlineData(true)]
    [InlineData(false)]
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
    public void A_relative_path_of_the_program_is_relative_to_the_directory_of_this_process(bool isHeld)
    {
        string program = Script("tool", "pwd > seen");
        string there = Directory.CreateDirectory($"{_folder}/there").FullName;

        Create(isHeld, directory: there).Run(Path.GetRelativePath(Environment.CurrentDirectory, program)).ExitCode.Should().Be(0);

        File.ReadAllLines($"{there}/seen").Should().Equal(there);
    }

    /// <summary>The system resolves a link before <c>..</c>, so the path must not be shortened.</summary>
    [FactNeeding(Need.Linux, Need.NativeLibrary)]
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
    public void A_command_that_cannot_start_is_reported(bool isHeld)
    {
        CommandMeter tooLong = Create(isHeld, new() { ["LONG"] = new string('x', 1 << 18) }), elsewhere = Create(isHeld, directory: "/picollo/none");
        foreach ((CommandMeter meter, string program, string message, int error) in ((CommandMeter, string, string, int)[])
        [
            (Create(isHeld), "picollo-no-such-program", "picollo-no-such-program: No such file or directory", Errno.ENOENT),
            (Create(isHeld), "/etc/passwd/none", "/etc/passwd/none: Not a directory", Errno.ENOTDIR),
            (Create(isHeld), "/etc/passwd", "/etc/passwd: Permission denied", Errno.EACCES),
            (Create(isHeld), "/usr", "/usr: Permission denied", Errno.EACCES),
            (elsewhere, "true", "working directory /picollo/none: No such file or directory", Errno.ENOENT),
            (tooLong, "true", "true: Argument list too long", Errno.E2BIG),
        ])
        {
            meter.Invoking(each => each.Run(program))
                .Should().Throw<Win32Exception>().WithMessage(message).Which.NativeErrorCode.Should().Be(error, message);
        }
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public async Task A_failed_wait_fails_again()
    {
        using RunningCommand running = Create(isHeld: true).Start("picollo-no-such-program");

        running.Invoking(each => each.Wait()).Should().Throw<Win32Exception>();
        running.Invoking(each => each.Wait()).Should().Throw<Win32Exception>().Which.NativeErrorCode.Should().Be(Errno.ENOENT);
        await running.Invoking(each => each.WaitAsync()).Should().ThrowAsync<Win32Exception>();
    }

    [TheoryNeeding(Need.Linux, Need.NativeLibrary)]
    [InlineData(true)]
    [InlineData(false)]
    public void Each_run_reads_the_input_file_from_its_start(bool isHeld)
    {
        // It may be open for writing, and has more bytes than a pipe holds.
        using FileStream open = new($"{_folder}/input", FileMode.Create, FileAccess.ReadWrite, FileShare.ReadWrite);
        open.Write(new byte[1_000_000]);
        open.Flush();
        CommandMeter meter = Create(isHeld, input: open.Name);

        foreach (string command in (string[])["[ $(wc -c) = 1000000 ]", "[ $(wc -c) = 1000000 ]", "exec <&-; sleep 0.01"])
        {
            meter.Run(MeasuredCommand.FromText(command)).ExitCode.Should().Be(0, command);
        }

        string[] touch = ["-c", $": > {_folder}/ran"];
        Create(isHeld, input: "/nowhere/input").Invoking(each => each.Run("/bin/sh", touch)).Should().Throw<DirectoryNotFoundException>();
        Create(isHeld, input: $"{_folder}/none").Invoking(each => each.Run("/bin/sh", touch)).Should().Throw<FileNotFoundException>();
        Create(isHeld, input: _folder).Invoking(each => each.Run("/bin/sh", touch)).Should().Throw<UnauthorizedAccessException>();
        File.Exists($"{_folder}/ran").Should().BeFalse("the command does not run");
    }

    [Fact]
    public void Invalid_variables_and_directories_are_rejected()
    {
        foreach ((string name, string value) in new[] { ("", "value"), ("a=b", "value"), ("a\0b", "value"), ("name", "a\0b") })
        {
            FluentActions.Invoking(() => Create(isHeld: true, new() { [name] = value })).Should().Throw<ArgumentException>().WithParameterName("Environment");
        }

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
        Tool.Run("chmod", "/", new Dictionary<string, string?>(), "u+x", path);
        return path;
    }
}
