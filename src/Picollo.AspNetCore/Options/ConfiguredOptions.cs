using Microsoft.Extensions.Configuration;
using Picollo.Cpu;
using Picollo.Export;

namespace Picollo.AspNetCore;

/// <summary>Reads options from a configuration. All values are checked, and unknown keys are rejected.</summary>
internal static class ConfiguredOptions
{
    /// <exception cref="OptionsValidationException">A key does not exist, or a value is invalid.</exception>
    public static void Read(IConfiguration configuration, PicolloOptions options) => Check<PicolloOptions>(configuration, () =>
    {
        configuration.Bind(options, static binder => binder.ErrorOnUnknownConfiguration = true);
        options.Meters.Copy(); // checks names and scales
    });

    /// <inheritdoc cref="Read(IConfiguration, PicolloOptions)"/>
    public static void Read(IConfiguration configuration, OtlpExportOptions options) => Check<OtlpExportOptions>(configuration, () =>
    {
        configuration.Bind(options, static binder => binder.ErrorOnUnknownConfiguration = true);
        _ = new OtlpSettings(options, static _ => null, null);
    });

    private static void Check<TOptions>(IConfiguration configuration, Action read)
    {
        try
        {
            read();
        }
        catch (Exception e) when (e is ArgumentException or InvalidOperationException)
        {
            throw new OptionsValidationException(Options.DefaultName, typeof(TOptions), [MessageOf(e, configuration)]);
        }
    }

    // Properties reject values with an exception that contains the property, the value and the range. The message of the binder contains
    // the key and the value.
    private static string MessageOf(Exception e, IConfiguration configuration)
    {
        string message = e.Message.ReplaceLineEndings(" ");
        if (e is ArgumentException { ParamName: { } property })
        {
            string key = configuration.AsEnumerable().Select(setting => setting.Key).FirstOrDefault(
                key => ConfigurationPath.GetSectionKey(key).Equals(property, StringComparison.OrdinalIgnoreCase), property);
            return $"The configuration value of '{key}' is invalid. {message}";
        }

        return message.Contains(nameof(CpuUsageDetail), StringComparison.Ordinal)
            ? $"{message} Use {string.Join(" or ", Enum.GetNames<CpuUsageDetail>())}."
            : message;
    }
}
