using System.Text;

namespace Picollo.Export.Plots;

/// <summary>
/// A step function as the data of an SVG path. Points are rounded to half a unit, the resolution of a screen, so the size depends on the
/// plot and not on the histogram.
/// </summary>
internal sealed class StepPath
{
    private const double StepsPerUnit = 2;

    private readonly StringBuilder _data = new();
    private int _x;
    private int _y;
    private bool _isOpen;

    /// <summary>The path so far.</summary>
    public string Data
    {
        get
        {
            Flush();
            return _data.ToString();
        }
    }

    private int _flushedX;
    private int _flushedY;

    /// <summary>Adds a horizontal line, after a step if the level changes.</summary>
    public void Add(double fromX, double toX, double y)
    {
        (int from, int to, int level) = (Quantize(fromX), Quantize(toX), Quantize(y));
        if (!_isOpen)
        {
            _data.Append(CultureInfo.InvariantCulture, $"M{from / StepsPerUnit} {level / StepsPerUnit}");
            (_flushedX, _flushedY, _x, _y, _isOpen) = (from, level, from, level, true);
        }
        else if (level != _y)
        {
            // If several levels have the same x, only the last is drawn, because all are on one vertical line.
            Flush();
            _y = level;
        }

        _x = to;
    }

    /// <summary>Starts a gap.</summary>
    public void Break()
    {
        Flush();
        _isOpen = false;
    }

    /// <summary>Closes the area between the path since the last gap and a level.</summary>
    public void CloseTo(double startX, double y)
    {
        Flush();
        if (_isOpen)
        {
            _data.Append(CultureInfo.InvariantCulture, $"V{Quantize(y) / StepsPerUnit}H{Quantize(startX) / StepsPerUnit}Z");
            _isOpen = false;
        }
    }

    private static int Quantize(double value) => (int)Math.Round(value * StepsPerUnit);

    private void Flush()
    {
        if (!_isOpen || _x == _flushedX)
        {
            return;
        }

        if (_y != _flushedY)
        {
            _data.Append(CultureInfo.InvariantCulture, $"V{_y / StepsPerUnit}");
            _flushedY = _y;
        }

        _data.Append(CultureInfo.InvariantCulture, $"H{_x / StepsPerUnit}");
        _flushedX = _x;
    }
}
