namespace Picollo.Interop.Linux;

/// <summary>The functions of the C library, with one file for each concern. Functions and constants have the names in the manual pages and
/// kernel headers, so that a search for a name finds its uses.</summary>
/// <remarks>All signatures are blittable, except for string paths. A function that returns -1 on failure sets
/// <see cref="System.Runtime.InteropServices.Marshal.GetLastPInvokeError"/> if a caller needs it. Functions without a GC transition do not
/// block and take less than a microsecond. <c>write</c>, <c>lseek</c>, <c>kill</c> and <c>fcntl(F_GETFD)</c> are also called on macOS.
/// fcntl is variadic there, and arm64 passes variadic arguments differently: a command with an argument needs a separate declaration for
/// macOS.</remarks>
internal static unsafe partial class LibC
{
    private const string Library = "libc";
}
