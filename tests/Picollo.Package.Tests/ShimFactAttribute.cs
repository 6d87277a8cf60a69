namespace Picollo.Package.Tests;

/// <summary>
/// A test of the packed shim for one platform. Skipped, with the reason, where that shim was not built for want of a
/// cross-compiler; a package handed in by PICOLLO_PACKAGES is always tested whole.
/// </summary>
public sealed class ShimFactAttribute : FactAttribute
{
    public ShimFactAttribute(string rid)
    {
        if (Environment.GetEnvironmentVariable("PICOLLO_PACKAGES") is null && !Repository.HasShim(rid))
        {
            Skip = $"native/out/{rid} is empty: run native/build.sh {rid} first";
        }
    }
}
