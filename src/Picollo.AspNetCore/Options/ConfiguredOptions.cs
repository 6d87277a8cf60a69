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
        CheckSections(configuration, "", "Requests", "CpuWorkers", "Meters", "Meters:MeterNames", "Meters:Scales");
        options.Meters.Copy(); // checks names and scales
    });

    /// <inheritdoc cref="Read(IConfiguration, PicolloOptions)"/>
    public static void Read(IConfiguration configuration, OtlpExportOptions options) => Check<OtlpExportOptions>(configuration, () =>
    {
        configuration.Bind(options, static binder => binder.ErrorOnUnknownConfiguration = true);
        CheckSections(configuration, "", nameof(options.Headers), nameof(options.ResourceAttributes));
        _ = new OtlpSettings(options, static _ => null, null);
    });

    // The binder ignores a single value where keys are expected, such as Headers="api-key=…", and keys where a value is expected, such as
    // CpuBudget:Seconds=1. Values may be secret.
    private static void CheckSections(IConfiguration configuration, params ReadOnlySpan<string> sections)
    {
        int start = (configuration as IConfigurationSection)?.Path.Length ?? 0;
        foreach ((string key, _) in configuration.AsEnumerable().Where(setting => !string.IsNullOrEmpty(setting.Value)))
        {
            string relative = key[start..].TrimStart(':');
            bool isSection = sections.Contains(relative, StringComparer.OrdinalIgnoreCase);
            if (isSection || !sections.Contains(ConfigurationPath.GetParentPath(relative) ?? "", StringComparer.OrdinalIgnoreCase))
            {
                throw new InvalidOperationException(isSection
                    ? $"'{key}' must have keys or elements below it, and not a value."
                    : $"'{ConfigurationPath.GetParentPath(key)}' must have a value, and not keys or elements below it.");
            }
        }
    }

    private static void Check<TOptions>(IConfiguration configuration, Action read)
    {
        try
        {
            read();
        }
        catch (Exception e) when (e is ArgumentException or InvalidOperationException)
        {
            throw new OptionsValidationException(Options.DefaultName, typeof(TOptions), [MessageOf<TOptions>(e, configuration)]);
        }
    }

    // Properties reject values with an exception that contains the property, the value and the range. The message of the binder contains
    // the key and the value.
    private static string MessageOf<TOptions>(Exception e, IConfiguration configuration)
    {
        string message = e.Message.ReplaceLineEndings(" ");
        if (e is ArgumentException { ParamName: { } property })
        {
            // The keys of instruments, which can have any name, are longer than those of options.
            string key = configuration.AsEnumerable().Select(setting => setting.Key).Where(key => ConfigurationPath.GetSectionKey(key)
                .Equals(property, StringComparison.OrdinalIgnoreCase)).MinBy(key => key.Length) ?? property;
            return $"The configuration value of '{key}' is invalid. {message}";
        }

        // The values of an exporter can contain passwords. The binder writes: '…' at 'key' to type 'type'.
        if (typeof(TOptions) == typeof(OtlpExportOptions) && message.LastIndexOf("' at '", StringComparison.Ordinal) is >= 0 and var at)
        {
            return "Failed to convert the configuration value" + message[(at + 1)..];
        }

        return message.Contains(nameof(CpuUsageDetail), StringComparison.Ordinal)
            ? $"{message} Use {string.Join(" or ", Enum.GetNames<CpuUsageDetail>())}."
            : message;
    }
}
