namespace Picollo.Interop.Linux;

/// <summary>The functions of the C library, a file for each concern. Names of functions and constants are those of the manual pages and
/// kernel headers, so that a search for one finds its users.</summary>
/// <remarks>All signatures are blittable, except paths that are strings. A function that reports failure as -1 leaves the error in
/// <see cref="System.Runtime.InteropServices.Marshal.GetLastPInvokeError"/> where a caller needs it. Functions without a GC transition
/// neither block nor take a microsecond. <c>write</c>, <c>fcntl</c> and <c>kill</c> are also called on macOS, where they have the same
/// signatures.</remarks>
internal static unsafe partial class LibC
{
    private const string Library = "libc";
}
