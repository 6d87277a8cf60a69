namespace Picollo.Interop.Native;

/// <summary>How the native library is found; tests put others in its place.</summary>
internal interface INativeLibraries
{
    /// <summary>Loads a library by its bare name.</summary>
    /// <param name="name">Without prefix and ending.</param>
    /// <param name="library">The handle.</param>
    /// <param name="where">Where it was found, or all places where it was not, or where it is and cannot be loaded.</param>
    /// <param name="isThere">Whether there is a file of that name, loaded or not.</param>
    bool TryLoad(string name, out nint library, out string where, out bool isThere);

    /// <summary>Finds a function; <paramref name="address"/> is 0 where there is none.</summary>
    bool TryGetExport(nint library, string function, out nint address);
}
