global using System.Buffers;
global using System.Globalization;
global using System.Text;
global using Picollo.Metrics;
global using Picollo.Tests.Metrics;
