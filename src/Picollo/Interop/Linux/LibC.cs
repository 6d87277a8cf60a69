namespace Picollo.Interop.Linux;

/// <summary>The functions of the C library, a file for each concern. Names of functions and constants are those of the manual pages and
/// kernel headers, so that a search for one finds its users.</summary>
/// <remarks>All signatures are blittable, except paths that are strings. A function that reports failure as -1 leaves the error in
/// <see cref="System.Runtime.InteropServices.Marshal.GetLastPInvokeError"/> where a caller needs it. Functions without a GC transition
/// neither block nor take a microsecond. <c>write</c>, <c>kill</c> and <c>fcntl(F_GETFD)</c> are also
/// called on macOS. There fcntl is variadic, and arm64 passes variadic arguments elsewhere: a command that takes an argument needs a
/// declaration for macOS.</remarks>
internal static unsafe partial class LibC
{
    private const string Library = "libc";
}
