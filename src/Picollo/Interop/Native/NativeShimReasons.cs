namespace Picollo.Interop.Native;

/// <summary>Why the native library, or its counter, is not used: each a cause and a remedy.</summary>
internal static class NativeShimReasons
{
    /// <summary>What the cycle clock does then.</summary>
    public const string Instead = "Stopwatch is used instead, at its own resolution.";

    public static string NoLibrary(string platform, string tried) =>
        $"The native library of Picollo was not found for {platform} (tried: {tried}). {Instead} To have the CPU's counter, deploy "
        + "the package's runtimes/<platform>/native folder with the program, or in Picollo's repository run native/build.sh.";

    public static string NotLoadable(string platform, string path) =>
        $"The native library {path} is there and could not be loaded. {Instead} Either this process has as many files open as it may: "
        + $"raise the limit (ulimit -n); or the library is not for {platform}, or on a file system that permits no code: "
        + "deploy the package's.";

    public static string WrongVersion(string path, int found, int expected) =>
        $"The native library {path} is of version {found}, and {expected} is expected. {Instead} Deploy the library and "
        + "Picollo.dll from the same package.";

    public static string NotALibrary(string path, string missing) =>
        $"The native library {path} has no function {missing}. {Instead} Deploy the library and Picollo.dll from the same package.";

    public static string NotInvariant { get; } =
        $"This CPU's counter does not tick at a constant rate (CPUID reports no invariant TSC). {Instead} On a virtual machine, let "
        + "the hypervisor pass the feature through (QEMU: -cpu host,+invtsc).";
}
