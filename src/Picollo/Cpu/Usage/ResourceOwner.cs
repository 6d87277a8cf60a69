namespace Picollo.Cpu;

/// <summary>Whose resources <c>getrusage</c> tells.</summary>
internal enum ResourceOwner
{
    /// <summary>The current thread.</summary>
    Thread,

    /// <summary>This process, all its threads, ended ones too.</summary>
    Process,

    /// <summary>The children that have ended and been waited for.</summary>
    Children,
}
