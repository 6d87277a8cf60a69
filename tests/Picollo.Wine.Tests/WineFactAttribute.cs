namespace Picollo.Wine.Tests;

/// <summary>A test that needs Wine and the Windows shim; skipped, with the reason, where either is missing.</summary>
public sealed class WineFactAttribute : FactAttribute
{
    public WineFactAttribute() => Skip = Reason();

    private static string? Reason()
    {
        if (Platform.Rid != "linux-x64")
        {
            return $"the win-x64 program runs under Wine on linux-x64 only; this is {Platform.Rid}";
        }

        if (!Tool.Exists("wine"))
        {
            return "no 'wine' on the PATH (Debian's packages wine and wine64)";
        }

        return Repository.HasShim("win-x64") ? null : "native/out/win-x64 is empty: run native/build.sh win-x64 first";
    }
}
