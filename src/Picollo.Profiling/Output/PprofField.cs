namespace Picollo.Profiling;

/// <summary>The fields of pprof's <c>Profile</c>.</summary>
internal static class PprofField
{
    public const int SampleType = 1;
    public const int Sample = 2;
    public const int Mapping = 3;
    public const int Location = 4;
    public const int Function = 5;
    public const int StringTable = 6;
    public const int DropFrames = 7;
    public const int KeepFrames = 8;
    public const int TimeNanos = 9;
    public const int DurationNanos = 10;
    public const int PeriodType = 11;
    public const int Period = 12;
    public const int Comment = 13;
    public const int DefaultSampleType = 14;

    /// <summary>A field for data that pprof does not support: in <c>Profile</c> a message of <see cref="PicolloField"/>, and in
    /// <c>Function</c> the kind of code. Readers of Protocol Buffers skip unknown fields.</summary>
    public const int Picollo = 1000;
}

/// <summary>The fields of the message <see cref="PprofField.Picollo"/>.</summary>
internal static class PicolloField
{
    public const int Event = 1;
    public const int IncludesKernel = 2;
    public const int UserNanoseconds = 3;
    public const int KernelNanoseconds = 4;
    public const int Lost = 5;
    public const int SampleCount = 6;
    public const int EffectiveSampleCount = 7;
}
