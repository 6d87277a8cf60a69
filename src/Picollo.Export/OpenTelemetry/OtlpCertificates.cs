using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Picollo.Export;

/// <summary>A file, and the environment variable that names it.</summary>
internal sealed record OtlpFile(string Variable, string Path);

/// <summary>The certificates of a TLS connection, in PEM files. The files are read again when they have changed, because certificates are
/// renewed. Not thread-safe.</summary>
/// <param name="trusted">The certificates of authorities or of receivers that are trusted instead of the system's; null for the
/// system's.</param>
/// <param name="client">The certificate of the client, and those of the authorities up to the root; null for none.</param>
/// <param name="key">The private key of the client; null if there is no certificate of the client.</param>
internal sealed class OtlpCertificates(OtlpFile? trusted, OtlpFile? client, OtlpFile? key)
{
    private const string EncryptedLabel = "ENCRYPTED PRIVATE KEY";
    private const string EncryptedHeader = "Proc-Type: 4,ENCRYPTED"; // of OpenSSL's older format

    private byte[] _loaded = []; // the hash of the texts

    /// <summary>Reads the files. They are compared by their text: the write time of a symbolic link, such as those of Kubernetes, is not
    /// that of its target.</summary>
    /// <param name="options">The options for new connections; null if the files have not changed since the last successful call, or there
    /// is a problem.</param>
    /// <returns>The problem; null if there is none.</returns>
    public string? TryLoad(out SslClientAuthenticationOptions? options)
    {
        options = null;
        (string authorities, string certificates, string privateKey) = ("", "", "");
        string? problem = Try(trusted, path => authorities = File.ReadAllText(path))
            ?? Try(client, path => certificates = File.ReadAllText(path))
            ?? Try(key, path => privateKey = File.ReadAllText(path));
        byte[] hash = SHA256.HashData(Encoding.UTF8.GetBytes($"{authorities}\0{certificates}\0{privateKey}"));
        if (problem is not null || hash.AsSpan().SequenceEqual(_loaded))
        {
            return problem;
        }

        SslClientAuthenticationOptions loaded = new();
        problem = Try(trusted, _ => loaded.CertificateChainPolicy = TrustPolicyOf(authorities))
            ?? Try(client, _ => CertificatesOf(certificates))
            ?? Try(key, _ => loaded.ClientCertificateContext = ClientContextOf(certificates, privateKey));
        if (problem is null)
        {
            (_loaded, options) = (hash, loaded);
        }

        return problem;
    }

    /// <summary>Uses the path or the text of a file, if there is one.</summary>
    /// <returns>The problem; null if there is none.</returns>
    private static string? Try(OtlpFile? file, Action<string> use)
    {
        if (file is null)
        {
            return null;
        }

        try
        {
            use(file.Path);
            return null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or CryptographicException or NotSupportedException
            or ArgumentException) // a key that does not belong to the certificate
        {
            string fault = e switch
            {
                FileNotFoundException or DirectoryNotFoundException => "does not exist",
                UnauthorizedAccessException => "cannot be read by this user",
                IOException => "cannot be read",
                NotSupportedException => "is encrypted; a private key without a password is required",
                _ => file.Variable.EndsWith("KEY", StringComparison.Ordinal)
                    ? "is not a private key in PEM that belongs to the certificate of the client"
                    : "does not contain a valid certificate in PEM",
            };
            return $"the file '{file.Path}' of {file.Variable} {fault}";
        }
    }

    private static X509ChainPolicy TrustPolicyOf(string text)
    {
        X509ChainPolicy policy = new()
        {
            TrustMode = X509ChainTrustMode.CustomRootTrust,
            RevocationMode = X509RevocationMode.NoCheck,
        };
        policy.CustomTrustStore.AddRange(CertificatesOf(text));
        return policy;
    }

    private static SslStreamCertificateContext ClientContextOf(string certificates, string key)
    {
        if (key.Contains(EncryptedLabel, StringComparison.Ordinal) || key.Contains(EncryptedHeader, StringComparison.Ordinal))
        {
            throw new NotSupportedException();
        }

        using X509Certificate2 ephemeral = X509Certificate2.CreateFromPem(certificates, key);

        // Windows cannot use the private key of a certificate that was created from PEM.
        X509Certificate2 usable = X509CertificateLoader.LoadPkcs12(ephemeral.Export(X509ContentType.Pkcs12), null);
        return SslStreamCertificateContext.Create(usable, CertificatesOf(certificates), offline: true);
    }

    /// <exception cref="CryptographicException">There is no certificate, or one is invalid.</exception>
    private static X509Certificate2Collection CertificatesOf(string text)
    {
        X509Certificate2Collection all = [];
        all.ImportFromPem(text);
        return all.Count > 0 ? all : throw new CryptographicException();
    }
}
