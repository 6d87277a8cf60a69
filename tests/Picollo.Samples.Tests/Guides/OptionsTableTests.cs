using System.Text;
using System.Text.RegularExpressions;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Picollo.AspNetCore;

namespace Picollo.Samples.Tests.Guides;

/// <summary>Tests the options in docs/aspnetcore.md.</summary>
public sealed partial class OptionsTableTests
{
    private static readonly string Guide = Markdown.Of("docs/aspnetcore.md").Text;

    [Fact]
    public void The_table_contains_the_keys_of_all_options()
    {
        IEnumerable<string> keys = typeof(PicolloOptions).GetProperties().SelectMany(option =>
            option.SetMethod is null ? option.PropertyType.GetProperties().Select(nested => $"{option.Name}:{nested.Name}") : [option.Name]);

        KeyRow().Matches(Guide[Guide.IndexOf("| key |", StringComparison.Ordinal)..])
            .SelectMany(row => row.Groups[1].Value.Split(", ")).Select(key => key.Trim('`'))
            .Should().BeEquivalentTo(keys);
    }

    [Fact]
    public void The_example_of_a_configuration_is_valid()
    {
        IConfiguration configuration = new ConfigurationBuilder()
            .AddJsonStream(new MemoryStream(Encoding.UTF8.GetBytes(JsonBlock().Match(Guide).Groups[1].Value))).Build();
        using ServiceProvider services = new ServiceCollection().AddPicollo(configuration.GetSection("Picollo")).BuildServiceProvider();

        PicolloOptions options = services.GetRequiredService<IOptions<PicolloOptions>>().Value;

        (options.Requests.CpuBudget, options.EnableProfiling, options.CpuWorkers.WorkerCount).Should().Be((TimeSpan.FromMilliseconds(100), true, 2));
        options.Meters.MeterNames.Should().Equal("System.Net.Http", "Shop");
    }

    [GeneratedRegex(@"^\| (`[A-Z][^|]*) \|", RegexOptions.Multiline)]
    private static partial Regex KeyRow();

    [GeneratedRegex("```json\n(\\{\n.*?)```", RegexOptions.Singleline)]
    private static partial Regex JsonBlock();
}
