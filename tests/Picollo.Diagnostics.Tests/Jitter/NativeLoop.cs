using Picollo.Interop.Native;

namespace Picollo.Diagnostics.Tests;

/// <summary>The loop of the native library with replaced system calls.</summary>
internal static unsafe class NativeLoop
{
    private static readonly delegate* unmanaged<JitterState*, delegate* unmanaged<ulong, int>, delegate* unmanaged<ulong>, int> Function = Find();

    public static bool IsAvailable => Function != null;

    public static int RunWith(JitterState* state, delegate* unmanaged<ulong, int> sleep, delegate* unmanaged<ulong> now) => Function(state, sleep, now);

    private static delegate* unmanaged<JitterState*, delegate* unmanaged<ulong, int>, delegate* unmanaged<ulong>, int> Find()
    {
        var libraries = new SystemNativeLibraries();
        nint address = 0;
        _ = NativeShim.Current.RunJitter != null
            && libraries.TryLoad("picollo_native", out nint library, out _, out _)
            && libraries.TryGetExport(library, "picollo_jitter_run_with", out address);
        return (delegate* unmanaged<JitterState*, delegate* unmanaged<ulong, int>, delegate* unmanaged<ulong>, int>)address;
    }
}
