using System.Text.RegularExpressions;

namespace Picollo.Profiling;

/// <content>The functions of the locations.</content>
internal sealed partial class PprofReader
{
    private const int MaxPatternLength = 10_000;

    private Regex? _drop;
    private Regex? _keep;

    private enum Pruning
    {
        None,

        /// <summary>The inner functions of the location, and all that they called, are dropped.</summary>
        Callees,

        /// <summary>The location and all that it called are dropped.</summary>
        Location,
    }

    /// <summary>Reads the patterns of the functions that the writer of the profile wants to hide, such as those of its allocator.</summary>
    private void ReadPatterns() => (_drop, _keep) = (PatternOf(_dropFrames), PatternOf(_keepFrames));

    private Regex? PatternOf(ulong text)
    {
        string pattern = TextOf(text);
        try
        {
            // Linear in the length of the name, as Go's, and with the same limits: no lookarounds and backreferences.
            return pattern.Length == 0 ? null
                : pattern.Length <= MaxPatternLength
                    ? new Regex($@"\A(?:{pattern})\z", RegexOptions.NonBacktracking | RegexOptions.CultureInvariant)
                : throw TooLarge($"the pattern of its dropped frames has more than {MaxPatternLength:N0} characters");
        }
        catch (Exception e) when (e is ArgumentException or NotSupportedException)
        {
            throw new InvalidDataException("The pattern of the dropped frames of the profile is not a supported regular expression.", e);
        }
    }

    /// <summary>Returns the functions of a location, the innermost one first: an inlined function before its caller.</summary>
    private IEnumerable<CpuProfileFrame> FramesOf(ulong id, out Pruning pruning)
    {
        if (!_locations.TryGetValue(id, out Location? location))
        {
            throw Damage($"location {id} does not exist");
        }

        int mapping = location.Mapping == 0 ? -1
            : _mappingOf.TryGetValue(location.Mapping, out int index) ? index
            : throw Damage($"mapping {location.Mapping} does not exist");
        int dropped = _drop is null ? -1 : Array.FindLastIndex(location.Functions, IsDropped);
        pruning = dropped < 0 ? Pruning.None : dropped == location.Functions.Length - 1 ? Pruning.Location : Pruning.Callees;
        int first = pruning == Pruning.Callees ? dropped + 1 : 0;
        return location.Functions.Length == 0 ? [AddressOf(location, mapping)] : location.Functions.Skip(first).Select(number =>
        {
            Function function = FunctionOf(number);
            string name = TextOf(function.Name) is { Length: > 0 } given ? given : TextOf(function.SystemName);
            string module = _isFromPicollo ? TextOf(function.File) : ModuleOf(mapping);
            return name.Length == 0 && !_isFromPicollo ? AddressOf(location, mapping) : new CpuProfileFrame(
                name, module, function.Kind ?? (IsManaged(module) ? CpuProfileFrameKind.Managed : CpuProfileFrameKind.Native));
        });
    }

    private Function FunctionOf(ulong number) => number == 0 ? default
        : _functions.TryGetValue(number, out Function found) ? found
        : throw Damage($"function {number} does not exist");

    private bool IsDropped(ulong number)
    {
        string name = WithoutParameters(TextOf(FunctionOf(number).Name));
        Spend(WorkOfFrame * (1 + name.Length));
        return name.Length > 0 && _drop!.IsMatch(name) && _keep?.IsMatch(name) != true;
    }

    /// <summary>Returns the name of a C++ function to compare with a pattern.</summary>
    private static string WithoutParameters(string name)
    {
        name = name.StartsWith('.') ? name[1..] : name;
        for (int i = 0; i < name.Length; i++)
        {
            if (name[i] == '(' && !name.AsSpan(i).StartsWith("(anonymous namespace)")
                && !name.AsSpan(0, Math.Min(i + 2, name.Length)).EndsWith("operator()"))
            {
                return name[..i];
            }
        }

        return name;
    }

    private CpuProfileFrame AddressOf(Location location, int mapping)
    {
        string module = ModuleOf(mapping);
        ulong start = mapping < 0 ? 0 : unchecked(_mappings[mapping].Start - _mappings[mapping].Offset);
        string offset = string.Create(CultureInfo.InvariantCulture, $"0x{unchecked(location.Address - start):x}");
        return new CpuProfileFrame(module.Length == 0 ? offset : $"{module}+{offset}", module, CpuProfileFrameKind.Unnamed);
    }

    /// <summary>Returns the file name of a mapping. The first mapping is the program, whose name may differ between two profiles.</summary>
    private string ModuleOf(int mapping) => mapping <= 0 ? "" : FileName(_mappings[mapping].File);

    private static bool IsManaged(string module) => module.EndsWith(".dll", StringComparison.OrdinalIgnoreCase);

    private string FileName(ulong text) => TextOf(text) is var path ? path[(path.LastIndexOf('/') + 1)..] : "";
}
