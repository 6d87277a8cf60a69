namespace Picollo.Cpu.Linux;

/// <summary>Capabilities (capabilities(7)) with their bits.</summary>
internal enum LinuxCapability
{
    KILL = 5,
    IPC_LOCK = 14,
    SYS_ADMIN = 21,
    SYS_NICE = 23,
    PERFMON = 38,
}

/// <summary>The rights of this process, which determine the remedy for a refused call. A container changes all of them: its root has few
/// capabilities, they have no effect in a user namespace, and a seccomp filter can refuse a call for which the rights suffice.</summary>
/// <param name="IsRoot">Whether the effective user is root, perhaps only of a container.</param>
/// <param name="Capabilities">The effective capabilities.</param>
/// <param name="IsInUserNamespace">Whether the process is in a user namespace other than the first, as in a rootless container.</param>
/// <param name="IsFiltered">Whether the process has a seccomp filter.</param>
internal readonly record struct LinuxRights(bool IsRoot, ulong Capabilities, bool IsInUserNamespace, bool IsFiltered)
{
    /// <summary>Whether advice for a user who can become root does not apply.</summary>
    public bool AreContained => IsRoot || IsInUserNamespace || IsFiltered;

    /// <summary>Reads the current rights of this thread, which are usually those of the process.</summary>
    public static LinuxRights Read() => Parse(LinuxFiles.ReadText("/proc/thread-self/status"), LinuxFiles.ReadText("/proc/self/uid_map"));

    /// <summary>Parses <c>/proc/PID/status</c> and <c>uid_map</c>. What is missing is assumed not to restrict the process.</summary>
    internal static LinuxRights Parse(string status, string userMap)
    {
        _ = ulong.TryParse(Field("CapEff:", 0), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out ulong capabilities);
        string[] map = userMap.Split([' ', '\n'], StringSplitOptions.RemoveEmptyEntries);
        return new LinuxRights(
            IsRoot: Field("Uid:", 1) == "0", // real, effective, saved, file system
            capabilities,
            IsInUserNamespace: map is not ([] or ["0", "0", "4294967295"]),
            IsFiltered: Field("Seccomp:", 0) == "2");

        string Field(string label, int index) =>
            status.Split('\n').FirstOrDefault(line => line.StartsWith(label, StringComparison.Ordinal)) is { } line
                && line[label.Length..].Split('\t', StringSplitOptions.RemoveEmptyEntries) is var fields && index < fields.Length
                    ? fields[index].Trim()
                    : "";
    }

    /// <summary>Whether the process has a capability that is valid outside of its user namespace.</summary>
    public bool Has(LinuxCapability capability) => !IsInUserNamespace && !Lacks(capability);

    /// <summary>Whether the process lacks a capability, also in its user namespace.</summary>
    public bool Lacks(LinuxCapability capability) => (Capabilities & (1UL << (int)capability)) == 0;

    /// <summary>Returns the remedy for a call that was refused for lack of a capability, to follow a colon.</summary>
    public string Remedy(LinuxCapability capability) =>
        Has(capability) ? $"this process has CAP_{capability}, so {Filter} probably refuses the call; allow it"
        : IsInUserNamespace ? $"CAP_{capability} has no effect in a user namespace (a rootless container); run as root outside of it"
        : IsRoot ? $"root has no CAP_{capability} here; add it to the container (--cap-add {capability})"
        : $"run as root or with CAP_{capability}{(IsFiltered ? $" (in a container, as root with --cap-add {capability})" : "")}";

    /// <summary>What refuses a call for which the capabilities suffice.</summary>
    public string Filter => IsFiltered ? "a seccomp filter" : "a security module (SELinux, AppArmor)";

    /// <summary>The remedy if a file of tracefs cannot be written.</summary>
    public string WriteTracing => IsInUserNamespace ? "Run as root outside of the user namespace (a rootless container)."
        : IsRoot ? "Mount it writable into the container (--volume /sys/kernel/tracing:/sys/kernel/tracing)."
        : "Run as root.";

    /// <summary>The remedy if tracefs is not mounted.</summary>
    public string MountTracing => AreContained && !Has(LinuxCapability.SYS_ADMIN)
        ? "mount it into the container (--volume /sys/kernel/tracing:/sys/kernel/tracing)"
        : "run `mount -t tracefs tracefs /sys/kernel/tracing` as root";
}
