using Version01App;

HistogramProgram.Run();
ReadingProgram.Run();
JsonProgram.Run();
CounterProgram.Run();
