namespace Picollo.Kernel.Tests;

/// <summary>A test that boots a kernel on an emulated machine; skipped, with the reason, where something for that is missing.</summary>
public sealed class KernelFactAttribute : FactAttribute
{
    /// <param name="rid">The machine's kind: linux-arm64 or linux-x64.</param>
    public KernelFactAttribute(string rid) => Skip = GuestPlatform.Of(rid).MissingHere();

    /// <summary>Whether the guest runs a program out of the repository, by the host's file system: it has folders of its own in place
    /// of the host's where programs write.</summary>
    public bool SharesRepository
    {
        get => false;
        set => Skip ??= value && HiddenFromGuests.Any(folder => Repository.Root.StartsWith(folder, StringComparison.Ordinal))
            ? $"the guest cannot see this repository: it has its own {string.Join(", ", HiddenFromGuests)}"
            : null;
    }

    private static readonly string[] HiddenFromGuests = ["/tmp/", "/run/", "/root/", "/dev/"];
}
