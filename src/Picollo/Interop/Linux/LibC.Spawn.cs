using System.Runtime.InteropServices;

namespace Picollo.Interop.Linux;

/// <content>Starting a program and waiting for it. The functions of posix_spawn return the error number instead of leaving it.</content>
internal static unsafe partial class LibC
{
    [LibraryImport(Library, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int posix_spawn(
        int* process, string path, SpawnFileActions* actions, void* attributes, byte** arguments, byte** environment);

    [LibraryImport(Library)]
    public static partial int posix_spawn_file_actions_init(SpawnFileActions* actions);

    [LibraryImport(Library)]
    public static partial int posix_spawn_file_actions_adddup2(SpawnFileActions* actions, int from, int to);

    [LibraryImport(Library)]
    public static partial int posix_spawn_file_actions_destroy(SpawnFileActions* actions);

    [LibraryImport(Library, SetLastError = true)]
    public static partial int waitpid(int process, int* status, int options);

    /// <summary>posix_spawn_file_actions_t: 80 bytes in glibc and musl.</summary>
    public struct SpawnFileActions
    {
        private fixed long _opaque[32];
    }
}
