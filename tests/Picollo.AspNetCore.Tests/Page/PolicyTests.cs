using System.Security.Cryptography;
using System.Text;

namespace Picollo.AspNetCore.Tests.Page;

public class PolicyTests
{
    [Fact]
    public void The_content_security_policy_allows_only_the_style_and_the_script_of_the_page()
    {
        foreach ((string policy, string script) in new[]
        {
            (PageDocument.ContentSecurityPolicy, HtmlAssets.Script), (TokenPage.ContentSecurityPolicy, HtmlAssets.TokenScript),
        })
        {
            policy.Should().Contain($"style-src '{HashOf(HtmlAssets.Style)}'").And.Contain($"script-src '{HashOf(script)}'")
                .And.StartWith("default-src 'none'; ").And.NotContain("unsafe").And.ContainAll("frame-ancestors 'none'", "base-uri 'none'");
        }
    }

    private static string HashOf(string text) => "sha256-" + Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(text)));
}
