using Microsoft.Extensions.Configuration;
using Picollo.Cpu;
using Picollo.Diagnostics;
using Picollo.Export;
using Picollo.Scheduling;

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
        IConfigurationSection bounds = configuration.GetSection(nameof(options.ExplicitBounds));
        CheckSections(
            configuration,
            [
                "", nameof(options.Headers), nameof(options.ResourceAttributes), bounds.Key,
                .. bounds.GetChildren().Select(histogram => ConfigurationPath.Combine(bounds.Key, histogram.Key)),
            ]);
        foreach (string time in new[] { nameof(options.Interval), nameof(options.Timeout) })
        {
            // The binder reads a number as days.
            if (configuration[time] is { Length: > 0 } text && !text.Contains(':', StringComparison.Ordinal))
            {
                throw new InvalidOperationException($"'{configuration.GetSection(time).Path}' must be a time such as 00:00:15.");
            }
        }

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

        if (message.Contains(nameof(BinderOptions.ErrorOnUnknownConfiguration), StringComparison.Ordinal))
        {
            return UnknownKeys(message, configuration);
        }

        // The values of an exporter can contain passwords. The binder writes: '…' at 'key' to type 'type'.
        if (typeof(TOptions) == typeof(OtlpExportOptions) && message.LastIndexOf("' at '", StringComparison.Ordinal) is >= 0 and var at)
        {
            message = "Failed to convert the configuration value" + message[(at + 1)..];
        }

        return message.EndsWith($"'{typeof(CpuUsageDetail)}'.", StringComparison.Ordinal)
            ? $"{message} Use {string.Join(" or ", Enum.GetNames<CpuUsageDetail>())}."
            : message.EndsWith($"'{typeof(bool)}'.", StringComparison.Ordinal) ? $"{message} Use true or false."
            : message.EndsWith($"'{typeof(TimeSpan)}'.", StringComparison.Ordinal) ? $"{message} Use a time such as 00:00:15."
            : message;
    }

    // The binder writes: 'ErrorOnUnknownConfiguration' was set …, but the following properties were not found on the instance of TYPE:
    // 'KEY', 'KEY'. TYPE determines the section of the keys.
    private static string UnknownKeys(string message, IConfiguration configuration)
    {
        string section =
            message.Contains(nameof(PicolloRequestOptions), StringComparison.Ordinal) ? nameof(PicolloOptions.Requests)
            : message.Contains(nameof(CpuWorkerPoolOptions), StringComparison.Ordinal) ? nameof(PicolloOptions.CpuWorkers)
            : message.Contains(nameof(MeterHistogramsOptions), StringComparison.Ordinal) ? nameof(PicolloOptions.Meters)
            : "";
        string[] names = message[(message.LastIndexOf(": ", StringComparison.Ordinal) + 2)..].Split(", ");
        IEnumerable<string> keys = names.Select(name => $"'{PathOf(name.Trim('\''))}'");
        return $"No option has the configuration key {string.Join(" or ", keys)}.";

        string PathOf(string name) => string.Join(
            ConfigurationPath.KeyDelimiter,
            ((string?[])[(configuration as IConfigurationSection)?.Path, section, name]).Where(part => !string.IsNullOrEmpty(part)));
    }
}
