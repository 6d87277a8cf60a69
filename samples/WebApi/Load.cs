using System.Diagnostics;

namespace Picollo.Samples.Web;

/// <summary>Clients that send requests to all endpoints. Each client sends one request after another to one endpoint.</summary>
public static class Load
{
    /// <summary>Sends requests for a duration.</summary>
    /// <returns>The number of requests.</returns>
    public static async Task<long> SendAsync(HttpClient client, TimeSpan duration, CancellationToken cancellation)
    {
        Stopwatch time = Stopwatch.StartNew();
        long sent = 0;
        await Task.WhenAll(
            RepeatAsync(_ => client.GetAsync("/hello", cancellation), 3),
            RepeatAsync(random => client.GetAsync($"/quotes/P{random.Next(5)}", cancellation)),
            RepeatAsync(random => client.GetAsync($"/quotes/P{random.Next(5)}", cancellation)),
            RepeatAsync(random => client.GetAsync($"/orders/{random.Next(1000)}", cancellation), 5),
            RepeatAsync(random => client.GetAsync($"/orders/{random.Next(1000)}", cancellation), 5),
            RepeatAsync(random => client.PostAsync("/orders", new StringContent(new string('x', (int)(100 / (1.001 - random.NextDouble())))), cancellation), 10),
            RepeatAsync(random => client.GetAsync($"/primes/{random.Next(50, 300) * 1000}", cancellation), 40),
            RepeatAsync(_ => client.GetAsync("/flaky", cancellation), 25),
            RepeatAsync(_ => client.GetAsync("/ticks/25", cancellation)),
            RepeatAsync(random => client.GetAsync($"/nothing/{random.Next()}", cancellation), 50));
        return sent;

        async Task RepeatAsync(Func<Random, Task<HttpResponseMessage>> send, int pauseMilliseconds = 0)
        {
            Random random = new(1);
            while (time.Elapsed < duration)
            {
                using HttpResponseMessage response = await send(random);
                Interlocked.Increment(ref sent);
                if (pauseMilliseconds > 0)
                {
                    await Task.Delay(pauseMilliseconds, cancellation);
                }
            }
        }
    }
}
