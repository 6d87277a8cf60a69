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
        CheckSections(
            configuration,
            nameof(options.Requests),
            nameof(options.CpuWorkers),
            nameof(options.Meters),
            $"{nameof(options.Meters)}:{nameof(options.Meters.MeterNames)}",
            $"{nameof(options.Meters)}:{nameof(options.Meters.Scales)}");
        configuration.Bind(options, static binder => binder.ErrorOnUnknownConfiguration = true);
        options.Meters.Copy(); // checks names and scales
    });

    /// <inheritdoc cref="Read(IConfiguration, PicolloOptions)"/>
    public static void Read(IConfiguration configuration, OtlpExportOptions options) => Check<OtlpExportOptions>(configuration, () =>
    {
        CheckSections(configuration, nameof(options.Headers), nameof(options.ResourceAttributes));
        configuration.Bind(options, static binder => binder.ErrorOnUnknownConfiguration = true);
        _ = new OtlpSettings(options, static _ => null, null);
    });

    // The binder ignores a single value where keys are expected, such as Headers="api-key=…". The value may be secret.
    private static void CheckSections(IConfiguration configuration, params ReadOnlySpan<string> keys)
    {
        foreach (string key in keys)
        {
            IConfigurationSection section = configuration.GetSection(key);
            if (!string.IsNullOrEmpty(section.Value))
            {
                throw new InvalidOperationException($"'{section.Path}' must have keys or elements below it, and not a value.");
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
            string key = configuration.AsEnumerable().Select(setting => setting.Key).FirstOrDefault(
                key => ConfigurationPath.GetSectionKey(key).Equals(property, StringComparison.OrdinalIgnoreCase), property);
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
        return $"There is no option with the configuration key {string.Join(" or ", keys)}.";

        string PathOf(string name) => string.Join(
            ConfigurationPath.KeyDelimiter,
            ((string?[])[(configuration as IConfigurationSection)?.Path, section, name]).Where(part => !string.IsNullOrEmpty(part)));
    }
}
