using System.Globalization;
using Microsoft.AspNetCore.Builder;

namespace Picollo.AspNetCore.Tests.Requests;

public class ServerTimingCultureTests
{
    [Fact]
    public async Task The_header_has_decimal_points_in_any_culture()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.Use((_, next) =>
                {
                    CultureInfo.CurrentCulture = Cultures.German;
                    return next();
                });
                web.MapGet("/x", () => $"{0.5}");
            },
            options => options.Requests.AddServerTiming = true);
        HttpResponseMessage response = await app.Client.GetAsync("/x");

        (await response.Content.ReadAsStringAsync()).Should().Be("0,5");
        ServerTiming.Of(response).Total.Should().BePositive();
    }
}
