using System.Net.Http.Headers;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.WebUtilities;
using Microsoft.Extensions.Primitives;

namespace Picollo.AspNetCore.Page;

/// <summary>The secret that opens the page to clients on this machine that another user may run.</summary>
/// <remarks>
/// <para><b>Decision: the token is in the fragment of the address that is logged (<c>/picollo#token=…</c>).</b> A browser does not send the
/// fragment. It shows the response with status 401, whose script posts the token in a form. The response to the form sets the cookie and
/// redirects to the address without the token. Without a script, the user pastes the token into the form.</para>
/// <para>Jupyter and the dashboard of .NET Aspire put the token in the query. This was rejected: ASP.NET Core logs the query ("Request
/// starting …") before the first middleware runs, tracers add it to spans (<c>url.query</c>), and proxies write it to their access logs. A
/// code for one use in the query was also rejected: it appears in the same places, and fails when the address is opened a second time, for
/// example after a program has fetched it for a preview. By default, HTTP logging includes neither the body of a form nor the values of the
/// headers <c>Authorization</c> and <c>Cookie</c>.</para>
/// <para>Browsers send a cookie to all ports of a host. The name of the cookie contains the port, so that the cookies of several
/// applications do not replace each other.</para>
/// </remarks>
internal sealed class PageToken(IOptions<PicolloOptions> options)
{
    /// <summary>The name of the form's field, and of the parameter in the fragment.</summary>
    public const string Name = "token";

    public const string Scheme = "Bearer";

    private const int RandomBytes = 16;
    private const int MaxFormFields = 4;

    private readonly Lazy<string> _value = new(() => options.Value.PageToken ?? Create());

    /// <summary>The token. It consists of characters that need no encoding in an address, a header and a cookie.</summary>
    public string Value => _value.Value;

    /// <summary>Returns whether the Authorization header or the cookie of a request contains the token.</summary>
    public bool IsIn(HttpContext context) =>
        (AuthenticationHeaderValue.TryParse(context.Request.Headers.Authorization, out AuthenticationHeaderValue? header)
            && header.Scheme.Equals(Scheme, StringComparison.OrdinalIgnoreCase)
            && IsToken(header.Parameter))
        || IsToken(context.Request.Cookies[CookieOf(context)]);

    /// <summary>Returns whether the Authorization header or the cookie of a request contains a token, valid or not.</summary>
    public static bool IsSent(HttpContext context) =>
        context.Request.Headers.Authorization.Count > 0 || context.Request.Cookies.ContainsKey(CookieOf(context));

    /// <summary>If a request is the form with the token, sets the cookie for the encoded path and redirects to the same address.</summary>
    public async Task<bool> TryAcceptFormAsync(HttpContext context, string path, string address)
    {
        if (!HttpMethods.IsPost(context.Request.Method) || !await HasFormAsync(context))
        {
            return false;
        }

        CookieOptions cookie = new()
        {
            HttpOnly = true,
            SameSite = SameSiteMode.Strict,
            Secure = context.Request.IsHttps,
            Path = path.Length == 0 ? "/" : path,
            IsEssential = true,
        };
        context.Response.Cookies.Append(CookieOf(context), Value, cookie);
        context.Response.StatusCode = StatusCodes.Status303SeeOther;
        context.Response.Headers.Location = address;
        return true;
    }

    private static string CookieOf(HttpContext context) =>
        string.Create(CultureInfo.InvariantCulture, $"picollo-{context.Connection.LocalPort}");

    private async Task<bool> HasFormAsync(HttpContext context)
    {
        if (context.Request.ContentType?.StartsWith("application/x-www-form-urlencoded", StringComparison.OrdinalIgnoreCase) != true)
        {
            return false;
        }

        if (context.Features.Get<IFormFeature>()?.Form is { } read)
        {
            return IsToken(read[Name]); // A middleware has read the body.
        }

        FormPipeReader reader = new(context.Request.BodyReader)
        {
            ValueCountLimit = MaxFormFields,
            KeyLengthLimit = PicolloOptions.MaxPageTokenLength,
            ValueLengthLimit = PicolloOptions.MaxPageTokenLength,
        };
        try
        {
            Dictionary<string, StringValues> form = await reader.ReadFormAsync(context.RequestAborted);
            return form.TryGetValue(Name, out StringValues token) && IsToken(token);
        }
        catch (InvalidDataException)
        {
            return false; // larger than any form with a token
        }
    }

    private bool IsToken(string? text) =>
        text is not null && CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(text), Encoding.UTF8.GetBytes(Value));

    private static string Create()
    {
        byte[] random = new byte[RandomBytes];
        if (OperatingSystem.IsLinux())
        {
            // RandomNumberGenerator requires OpenSSL on Linux, which small containers do not have.
            using FileStream source = new("/dev/urandom", FileMode.Open, FileAccess.Read, FileShare.ReadWrite, bufferSize: 0);
            source.ReadExactly(random);
        }
        else
        {
            RandomNumberGenerator.Fill(random);
        }

        return Convert.ToHexStringLower(random);
    }
}
