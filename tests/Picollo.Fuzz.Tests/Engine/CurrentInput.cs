using System.IO.MemoryMappedFiles;

namespace Picollo.Fuzz.Tests;

/// <summary>Stores the current input in a file that outlives the process, because the process can end by a stack overflow or
/// hang.</summary>
internal sealed class CurrentInput : IDisposable
{
    private const int HeaderBytes = sizeof(int);
    private const int MostBytes = 1 << 22;

    private readonly MemoryMappedFile _file;
    private readonly MemoryMappedViewAccessor _view;

    public CurrentInput(string path)
    {
        _file = MemoryMappedFile.CreateFromFile(path, FileMode.OpenOrCreate, null, HeaderBytes + MostBytes);
        _view = _file.CreateViewAccessor();
    }

    public byte[] Bytes
    {
        get
        {
            byte[] bytes = new byte[_view.ReadInt32(0)];
            _view.ReadArray(HeaderBytes, bytes, 0, bytes.Length);
            return bytes;
        }

        set
        {
            _view.Write(0, value.Length);
            _view.WriteArray(HeaderBytes, value, 0, value.Length);
        }
    }

    public void Dispose()
    {
        _view.Dispose();
        _file.Dispose();
    }
}
