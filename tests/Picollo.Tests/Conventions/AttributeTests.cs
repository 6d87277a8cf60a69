using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using System.Text.RegularExpressions;
using Picollo.Cpu;
using Picollo.Metrics;
using Picollo.PerfEvent;

namespace Picollo.Tests.Conventions;

/// <summary>Tests of attributes for debuggers and for compilers of other languages.</summary>
public partial class AttributeTests
{
    public static TheoryData<object, string> Displayed
    {
        get
        {
            PlainHdrHistogram<uint> histogram = HdrHistogram.Factory.WithRelativeError(0.01).WithMaxTrackableValue(9_000).Create();
            histogram.Record(70);
            const string Layout = "RelativeError = 0.0078125, Range = 0 to 9000";
            return new()
            {
                { histogram, Layout },
                { histogram.GetSnapshot(), Layout },
                { HdrHistogram.Factory.WithRelativeError(0.0078125).WithMaxTrackableValue(9_000).WithThreadLocal(), Layout },
                { histogram.GetSummary(), "Histogram: Total=1, Overflow=0, Mean=70.0, P0=70, P25=70, P50=70, P90=70, P95=70, P99=70, P999=70, P100=70" },
                { histogram.GetPercentile(50), "P50=70 [70 / 70]: [70, 71) 1" },
                { histogram.GetBucket(70), "[70 / 70]: [70, 71) 1" },
                { new HdrHistogramRegistration("x", histogram, HdrHistogramDescription.None, [new("a", "b")]), "x{a=\"b\"}" },
                { new CpuUsage(12_000_000, 345_000), new CpuUsage(12_000_000, 345_000).ToString() },
                { PerfEventCounterSession.Factory.WithTarget(7, 2), "ThreadId = 7, Cpu = 2, ProcessId = " },
            };
        }
    }

    [Theory]
    [MemberData(nameof(Displayed), DisableDiscoveryEnumeration = true)]
    public void Debuggers_show_the_main_types(object value, string expected)
    {
        string format = value.GetType().GetCustomAttribute<DebuggerDisplayAttribute>(inherit: true)!.Value;

        Expression().Replace(format, match => Evaluate(value, match.Groups["path"].Value)).Should().Be(expected);
    }

    [Fact]
    public void No_package_claims_to_comply_with_the_common_language_specification() => PublicSurface.Assemblies
        .Should().OnlyContain(assembly => !assembly.GetCustomAttribute<CLSCompliantAttribute>()!.IsCompliant);

    private static string Evaluate(object value, string path)
    {
        object? result = path.Split('.').Aggregate((object?)value, (target, name) => name == "ToString()"
            ? target!.ToString()
            : Property(target!.GetType(), name).GetValue(target));
        return Convert.ToString(result, CultureInfo.InvariantCulture)!;
    }

    private static PropertyInfo Property(Type type, string name) =>
        type.GetProperty(name, BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)!;

    [GeneratedRegex(@"\{(?<path>[^,}]+)(,nq)?\}")]
    private static partial Regex Expression();
}
